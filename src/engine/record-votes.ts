import type { Loop } from '../core/loop/loop.ts';
import type { Capture } from '../core/memory/capture.ts';
import type { Learning } from '../core/memory/learning.ts';
import { voteOf } from '../core/memory/rank/worth.ts';
import { learningIds } from '../core/memory/injected.ts';
import { statusFromVotes } from '../core/memory/votes.ts';
import { allChecks, type VerificationReport } from '../core/verdict/report.ts';
import type { InjectedItem } from '../ports/memory.ts';
import type { StoreTx } from '../ports/store.ts';

/**
 * Stores which learnings an iteration was given and which were withheld, with what its executed checks said, and counts the
 * votes of those that were given.
 */
export async function recordVotes(
  tx: StoreTx,
  loop: Loop,
  number: number,
  { verified }: Capture,
): Promise<void> {
  const iteration = loop.iterations.find((each) => each.number === number);
  const shown = learningIds(iteration?.injected ?? []);
  const withheld = iteration?.withheld ?? [];
  if (shown.length + withheld.length === 0) return;
  const vote = verified === null ? null : (voteOf(...verdicts(verified)) ?? 'none');
  const items = [...shown, ...withheld].map((learningId, index): InjectedItem => ({
    loopId: loop.id,
    iteration: number,
    learningId,
    taskId: loop.taskId,
    position: index + 1,
    withheld: index >= shown.length,
    injectedAt: iteration?.startedAt ?? loop.updatedAt,
    vote,
    passed: verified === null ? null : verified.after.overall.passed,
  }));
  for (const item of items) await recordItem(tx, loop, item);
}

/** A learning that is gone by now, pruned by hand for instance, is no longer judged. */
async function recordItem(tx: StoreTx, loop: Loop, item: InjectedItem): Promise<void> {
  const learning = await tx.learnings.get(item.learningId);
  if (learning === null) return;
  await tx.learnings.recordInjected([item]);
  if (item.withheld) return;
  const votes = {
    helpful: learning.helpful + (item.vote === 'helpful' && !isOwn(learning, loop) ? 1 : 0),
    harmful: learning.harmful + (item.vote === 'harmful' ? 1 : 0),
  };
  const { 'demote-after': demoteAfter } = loop.settings.memory;
  const status = statusFromVotes({ ...learning, ...votes }, demoteAfter);
  await tx.learnings.edit(learning.id, {
    lastUsedAt: loop.updatedAt,
    ...votes,
    // Only a change goes through the index.
    ...(status === learning.status ? {} : { status }),
  });
}

/** Who wrote it does not confirm it: an agent could fail once and then pass. Its harmful votes count. */
function isOwn(learning: Learning, loop: Loop): boolean {
  return learning.loopId === loop.id;
}

function verdicts({ before, after }: NonNullable<Capture['verified']>) {
  return [before === null ? [] : checksOf(before), checksOf(after)] as const;
}

function checksOf(report: VerificationReport) {
  return allChecks(report).map(({ level, check }) => ({
    name: `${level} ${check.name}`,
    passed: check.passed,
  }));
}
