import { refusalFeedback } from '../verdict/gate.ts';
import { updateLast } from './change.ts';
import { confirmStateOf } from './confirming.ts';
import { consented } from './consent.ts';
import type { LoopEvent } from './event.ts';
import { awaitsApproval, awaitsGoAhead } from './gating.ts';
import type { Loop } from './loop.ts';
import { isResting } from './status.ts';

/** One gate has judged the newest iteration. */
export function afterGate(
  loop: Loop,
  { result }: Extract<LoopEvent, { type: 'gate.judged' }>,
): Loop {
  const last = loop.iterations.at(-1);
  if (last === undefined) return loop;
  const judged = updateLast(loop, { gates: [...(last.gates ?? []), result] });
  return result.passed ? judged : failedAfterAll(judged);
}

/** The newest iteration was looked at in a clean place. */
export function afterConfirmation(
  loop: Loop,
  { confirmation }: Extract<LoopEvent, { type: 'confirmation.ended' }>,
): Loop {
  if (loop.iterations.length === 0) return loop;
  const judged = updateLast(loop, { confirmation });
  return confirmStateOf(judged).kind === 'refused' ? failedAfterAll(judged) : judged;
}

/** The same changes to the judge count from now on; a loop that rests because of them is judged again. */
export function afterJudgeAllowed(
  loop: Loop,
  { hash, paths, by, reason }: Extract<LoopEvent, { type: 'judge.allowed' }>,
): Loop {
  const judgeApprovals = [...(loop.judgeApprovals ?? []), { hash, paths, by, reason }];
  const known = { ...loop, judgeApprovals };
  const isHeld = loop.iterations.at(-1)?.confirmation?.hash === hash && isResting(loop.status);
  if (!isHeld || loop.status === 'complete') return known;
  return { ...updateLast(known, { decision: null }), step: 'judge' };
}

/** The work is judged again, now without what was allowed. */
export function afterAllowed(
  loop: Loop,
  event: Extract<LoopEvent, { type: 'integrity.allowed' }>,
): Loop {
  const allowed = new Set([...(loop.allowedViolations ?? []), ...event.keys]);
  const acceptance = { by: event.by, reason: event.reason, findings: event.keys.length };
  const acceptances = [...(loop.acceptances ?? []), acceptance];
  const known = { ...loop, allowedViolations: [...allowed], acceptances };
  const hasVerdict = loop.iterations.at(-1)?.report != null && isResting(loop.status);
  if (event.report === undefined || !hasVerdict || loop.status === 'complete') return known;
  return { ...updateLast(known, { report: event.report, decision: null }), step: 'judge' };
}

/** A gate is judged again, now with the approval; a question of the loop's mode is answered. */
export function afterApproval(
  loop: Loop,
  { by, note }: Extract<LoopEvent, { type: 'approval.given' }>,
): Loop {
  if (awaitsGoAhead(loop)) return asHistory(loop);
  if (!awaitsApproval(loop)) return consented(loop);
  const approvals = [...(loop.iterations.at(-1)?.approvals ?? []), { by, note }];
  return { ...updateLast(loop, { approvals, decision: null }), step: 'judge' };
}

/** Somebody sent the work back: the next iteration hears why. */
export function afterRefusal(
  loop: Loop,
  { by, reason }: Extract<LoopEvent, { type: 'approval.refused' }>,
): Loop {
  const isGoAhead = awaitsGoAhead(loop);
  if (!awaitsApproval(loop) && !isGoAhead && loop.asked === undefined) return loop;
  const told = refusalFeedback(by, reason);
  return asHistory({
    ...updateLast(failedAfterAll(consented(loop)), { refusal: { by, reason } }),
    // Of work whose checks fail both is to be known.
    feedback: isGoAhead && loop.feedback !== '' ? `${told}\n\n${loop.feedback}` : told,
  });
}

/** What was decided about the newest iteration is answered: the loop goes on behind it. */
function asHistory(loop: Loop): Loop {
  return { ...loop, resumedAfter: loop.iterations.at(-1)?.number ?? loop.resumedAfter };
}

/** The checks had passed, so the attempt was counted as done; somebody else thinks otherwise. */
function failedAfterAll(loop: Loop): Loop {
  const before = loop.iterations.slice(0, -1).toReversed();
  const counted = before.filter(({ outcome }) => outcome !== 'interrupted');
  const done = counted.findIndex(({ outcome }) => outcome === 'done');
  return {
    ...updateLast(loop, { outcome: 'failed' }),
    consecutiveFailures: 1 + (done === -1 ? counted.length : done),
  };
}
