import { consented, isHeldForConsent } from './consent.ts';
import type { LoopEvent } from './event.ts';
import { awaitsApproval } from './gating.ts';
import type { Loop } from './loop.ts';
import { isResting } from './status.ts';
import { withUnrecorded } from './unrecorded.ts';

type Resumed = Extract<LoopEvent, { type: 'loop.resumed' }>;

/** Somebody goes on with the loop: after a rest, or because its owner was gone. */
export function afterResume(stored: Loop, event: Resumed, time: number): Loop {
  const { unrecorded } = event;
  const loop = unrecorded === undefined ? stored : withUnrecorded(stored, unrecorded, time);
  return {
    ...withoutWish(resumedByYes(loop)),
    status: loop.wait === null ? 'running' : 'waiting',
    reason: loop.wait?.condition ?? null,
    text: null,
    endedAt: null,
    opened: false,
    resumedAfter: resumedAfter(loop),
    ...(isJudgedAgain(loop) ? { baseline: null, step: 'baseline' as const } : {}),
    sessionId: event.sessionId,
    host: event.host,
    settings: event.settings ?? loop.settings,
    flags: event.flags ?? loop.flags,
  };
}

/** What could not run may run now; a loop that only looks at its base looks at it as it is. */
function isJudgedAgain({ options, baseline, iterations }: Loop): boolean {
  return options.verifyOnly || (baseline?.state === 'broken' && iterations.length === 0);
}

/**
 * A resume makes the last decision history; a loop that rested before it was decided has none, and one that waits for an
 * approval goes on waiting.
 */
function resumedAfter(loop: Loop): number {
  const last = loop.iterations.at(-1);
  const decided =
    isResting(loop.status) && last !== undefined && last.decision !== null && !isDecisionHeld(loop);
  return decided ? last.number : loop.resumedAfter;
}

/** What a hook wanted before a person went on with it is history. */
function withoutWish(loop: Loop): Loop {
  if (!isResting(loop.status)) return loop;
  const { stopWish: _wish, ...rest } = loop;
  return rest;
}

/** Who goes on with a loop that asks whether to start says yes to that. */
function resumedByYes(loop: Loop): Loop {
  return loop.asked?.kind === 'start' && isResting(loop.status) ? consented(loop) : loop;
}

function isDecisionHeld(loop: Loop): boolean {
  return awaitsApproval(loop) || isHeldForConsent(loop);
}
