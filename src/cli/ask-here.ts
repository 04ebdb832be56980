import { userInfo } from 'node:os';
import type { Loop } from '../core/loop/loop.ts';
import type { Opened } from '../daemon/compose.ts';
import { approveLoop, isHeldByStrategy, rejectLoop } from '../engine/answer-approval.ts';
import {
  runLoops,
  type RunControl,
  type RunOptions,
  type RunOutcome,
} from '../engine/run-loops.ts';
import { oneLine } from './render/story-line.ts';
import { withSession } from './session.ts';

export type HereAnswer =
  | { readonly kind: 'yes' }
  | { readonly kind: 'no'; readonly reason: string }
  | { readonly kind: 'later' };

type Ask = (loop: Loop) => Promise<HereAnswer>;

/**
 * Asks the person at the terminal whatever loops want to know, and goes on with each that got its answer, until none asks or
 * they want to answer later.
 */
export async function answerHere(
  opened: Opened,
  first: RunOutcome,
  options: RunOptions,
  control: RunControl,
  ask: Ask,
): Promise<RunOutcome> {
  let outcome = first;
  for (;;) {
    const loop = outcome.loops.find(asksHere);
    if (loop === undefined || control.requested !== null) return outcome;
    const answer = await ask(loop);
    if (answer.kind === 'later') return outcome;
    const after = await give(opened, loop, answer);
    const went = after.status === 'complete' ? after : await goOn(opened, loop, options, control);
    const loops = outcome.loops.map((each) => (each.id === loop.id ? went : each));
    outcome = { ...outcome, loops };
  }
}

function asksHere(loop: Loop): boolean {
  return loop.status === 'blocked' && (loop.asked !== undefined || isHeldByStrategy(loop));
}

function give({ engine }: Opened, loop: Loop, answer: HereAnswer): Promise<Loop> {
  const by = userInfo().username;
  return withSession(engine, (session) =>
    answer.kind === 'no'
      ? rejectLoop(engine, session, loop, { by, text: answer.reason })
      : approveLoop(engine, session, loop, { by, text: '' }),
  );
}

async function goOn(
  { engine }: Opened,
  loop: Loop,
  options: RunOptions,
  control: RunControl,
): Promise<Loop> {
  const request = { kind: 'loop', loopId: loop.id, why: 'answered' } as const;
  const { loops } = await runLoops(engine, request, options, control);
  return loops[0] ?? loop;
}

/** With keys, on the terminal. Giving up means later. */
export async function askAtTerminal(loop: Loop): Promise<HereAnswer> {
  const prompts = await import('@clack/prompts');
  const isStart = loop.asked?.kind !== 'changes';
  const picked = await prompts.select({
    message: `${loop.id}: ${oneLine(loop.asked?.text ?? loop.text ?? '')}`,
    options: [
      { value: 'yes', label: 'yes', hint: isStart ? 'go on' : 'keep them and go on' },
      { value: 'no', label: 'no, and say why', hint: 'the next iteration is told' },
      { value: 'later', label: 'later', hint: `loopwright loop diff ${loop.id} shows the changes` },
    ],
  });
  if (picked === 'yes') return { kind: 'yes' };
  if (picked !== 'no') return { kind: 'later' };
  const reason = await prompts.text({
    message: 'What is wrong?',
    validate: (value) => (value?.trim() ? undefined : 'The next iteration needs a reason.'),
  });
  return prompts.isCancel(reason) ? { kind: 'later' } : { kind: 'no', reason: reason.trim() };
}
