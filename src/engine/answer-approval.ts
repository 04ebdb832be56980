import type { Gate } from '../core/config/section/gates.ts';
import { encodeAnswer } from '../core/coordinate/spoken-answer.ts';
import { LoopwrightError } from '../core/error.ts';
import type { Request } from '../core/loop/decide.ts';
import { awaitsApproval, awaitsGoAhead, gatesOf } from '../core/loop/gating.ts';
import { liftable } from '../core/loop/confirming.ts';
import { awaitsMerge, isHeldUnproven } from '../core/loop/finishing.ts';
import type { Rest } from '../core/loop/judge.ts';
import { violationsToAllow } from '../core/loop/judges.ts';
import { lastIteration, type Loop } from '../core/loop/loop.ts';
import { isResting } from '../core/loop/status.ts';
import type { Session, StoreTx } from '../ports/store.ts';
import { allowJudge } from './allow-judge.ts';
import { allowViolations } from './allow-violations.ts';
import type { Engine } from './engine.ts';
import { finishLoop } from './finish-loop.ts';
import { MergeQueue } from './merge-queue.ts';
import { driveOrPark } from './park.ts';
import { holdAtRest, recordAtRest } from './resting-loop.ts';
import { sendMessage } from './send-message.ts';
import { takeLoop } from './take-loop.ts';

export type Answer = { readonly by: string; readonly text: string };

/**
 * Says yes to a loop that waits for an approval, or accepts what `integrity` found in it, and judges it again: it can be
 * complete without another agent. A crash in between leaves the approval stored; approving again goes on from there.
 */
export async function approveLoop(
  engine: Engine,
  session: Session,
  loop: Loop,
  { by, text }: Answer,
): Promise<Loop> {
  if (loop.asked !== undefined || isHeldByStrategy(loop)) {
    return sayYes(engine, session, loop, { by, text });
  }
  if (isHeldUnproven(loop)) return takeUnproven(engine, session, loop, { by, text });
  // The yes was stored and a crash came before the merge: that alone is left.
  if (loop.proofAccepted !== undefined && awaitsMerge(loop)) {
    return finishLoop(engine, session, new MergeQueue(engine, session), loop);
  }
  if (!isHalfApproved(loop)) {
    await recordYes(engine, session, loop, { by, text });
  }
  // Nobody asked for another iteration: should a gate fail now, the loop pauses.
  const driven = await goOn(engine, session, loop.id, by, { kind: 'pause', when: 'finish' });
  return finishLoop(engine, session, new MergeQueue(engine, session), driven);
}

/** A person takes work whose completion is unproven: it is merged as any other. */
async function takeUnproven(
  engine: Engine,
  session: Session,
  loop: Loop,
  { by, text }: Answer,
): Promise<Loop> {
  const reason = text === '' ? null : engine.clean(text);
  const taken = await recordAtRest(engine, session, loop.id, {
    type: 'proof.accepted',
    by,
    reason,
  });
  return finishLoop(engine, session, new MergeQueue(engine, session), taken);
}

/**
 * Answers what the loop's mode or strategy asks. Its owner takes the answer up; a loop at rest is complete now, or stays for whoever goes
 * on with it: no agent runs here.
 */
async function sayYes(
  engine: Engine,
  session: Session,
  loop: Loop,
  { by, text }: Answer,
): Promise<Loop> {
  if (!isResting(loop.status)) return tellOwner(engine, loop, 'approve', { by, text });
  await recordApproval(engine, session, loop, { by, text });
  const driven = await goOn(engine, session, loop.id, by, { kind: 'interrupt', when: 'cut' });
  return finishLoop(engine, session, new MergeQueue(engine, session), driven);
}

/** Drives a loop at rest under a request that keeps it from more than the answer allows. */
async function goOn(
  engine: Engine,
  session: Session,
  loopId: string,
  by: string,
  request: Request,
): Promise<Loop> {
  await using owner = await takeLoop(engine, session, loopId, { why: `approved by ${by}` });
  owner.request(request);
  return await driveOrPark(engine, owner);
}

async function tellOwner(
  engine: Engine,
  loop: Loop,
  kind: 'approve' | 'reject',
  answer: Answer,
): Promise<Loop> {
  await sendMessage(engine, { kind, sender: null, to: loop.id, body: encodeAnswer(answer) });
  return loop;
}

async function recordYes(
  engine: Engine,
  session: Session,
  loop: Loop,
  { by, text }: Answer,
): Promise<void> {
  if (loop.status !== 'complete' && violationsToAllow(loop).length > 0) {
    await allowViolations(engine, session, loop.id, {
      by,
      reason: text === '' ? null : engine.clean(text),
    });
    return;
  }
  if (liftable(loop) !== null) {
    await allowJudge(engine, session, loop.id, {
      by,
      reason: text === '' ? null : engine.clean(text),
    });
    return;
  }
  requireAwaited(loop);
  await recordApproval(engine, session, loop, { by, text });
}

async function recordApproval(
  engine: Engine,
  session: Session,
  loop: Loop,
  { by, text }: Answer,
): Promise<void> {
  const note = engine.clean(text);
  await recordAtRest(engine, session, loop.id, { type: 'approval.given', by, note });
}

/** Sends the work back. The reason is the feedback of the next iteration, unless the gate ends the loop on a no. */
export async function rejectLoop(
  engine: Engine,
  session: Session,
  loop: Loop,
  { by, text }: Answer,
): Promise<Loop> {
  if (loop.asked !== undefined && !isResting(loop.status)) {
    return tellOwner(engine, loop, 'reject', { by, text });
  }
  requireAwaited(loop);
  const state = gatesOf(loop);
  const rest = restAfterNo(state.kind === 'awaited' ? state.gate : null, by);
  await using held = await holdAtRest(engine, session, loop.id);
  return await held.recordAll(
    [
      { type: 'approval.refused', by, reason: engine.clean(text) },
      { type: 'loop.rested', ...rest },
    ],
    (tx) => settleRefused(tx, loop.taskId, rest, engine.clock.now()),
  );
}

/** The task follows: paused until the loop goes on, failed with it, or blocked as it was. */
async function settleRefused(tx: StoreTx, taskId: string, rest: Rest, now: number): Promise<void> {
  if (rest.status === 'blocked') return;
  const change = { now, reason: rest.text };
  await tx.tasks.transition(taskId, 'paused', change);
  if (rest.status === 'failed') await tx.tasks.transition(taskId, 'failed', change);
}

function restAfterNo(gate: Gate | null, by: string): Rest {
  const text = `rejected by ${by}`;
  switch (gate?.['on-failure'] ?? 'iterate') {
    case 'iterate':
      return {
        status: 'paused',
        reason: 'rejected',
        text: `${text}; the reason is told to the next iteration`,
      };
    case 'stop':
      return { status: 'failed', reason: 'gate', text };
    case 'escalate':
      return { status: 'blocked', reason: 'gate', text };
  }
}

/** The approval is stored, but whoever gave it was gone before the loop was judged again. */
function isHalfApproved(loop: Loop): boolean {
  const { approvals = [], decision = null } = lastIteration(loop) ?? {};
  const { allowedViolations = [], judgeApprovals = [] } = loop;
  const isGiven = approvals.length + allowedViolations.length + judgeApprovals.length > 0;
  return isResting(loop.status) && loop.step === 'judge' && isGiven && decision === null;
}

/** Whether a person's yes or no would change something. */
export function isAsking(loop: Loop): boolean {
  if (loop.asked !== undefined || isHeldByStrategy(loop)) return true;
  return loop.status === 'blocked' && awaitsApproval(loop);
}

/** Whether the strategy `manual` asked after the newest iteration and nobody has answered. */
export function isHeldByStrategy(loop: Loop): boolean {
  return loop.status === 'blocked' && awaitsGoAhead(loop);
}

function requireAwaited(loop: Loop): void {
  if (loop.status === 'blocked' && isAsking(loop)) return;
  throw new LoopwrightError(
    'loop.not_awaited',
    `${loop.id} is ${loop.status} and does not wait for an approval`,
    { hint: `see \`loopwright loop show ${loop.id}\`` },
  );
}
