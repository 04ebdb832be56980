import type { Learning } from '../core/memory/learning.ts';
import { statusFromVotes } from '../core/memory/votes.ts';
import type { StoreTx } from '../ports/store.ts';

export type Forgotten = {
  readonly learnings: readonly string[];
  readonly reports: number;
  /** Votes that were taken back. */
  readonly votes: number;
};

/**
 * Takes back what a loop taught: its learnings, what was merged from them, the votes its checks cast on others, and its
 * failure reports. What was measured (outcomes, cost) stays. One transaction.
 */
export async function forgetLoop(
  tx: StoreTx,
  loopId: string,
  demoteAfter: number,
): Promise<Forgotten> {
  const votes = await takeBackVotes(tx, loopId, demoteAfter);
  const taught = await tx.learnings.list({ loopId });
  const merged = new Set(taught.flatMap(({ supersededBy }) => supersededBy ?? []));
  for (const id of merged) await undoMerge(tx, id);
  for (const { id } of taught) await tx.learnings.delete(id);
  const reports = await tx.attempts.forgetReports(loopId);
  return { learnings: taught.map(({ id }) => id), reports, votes };
}

async function takeBackVotes(tx: StoreTx, loopId: string, demoteAfter: number): Promise<number> {
  let count = 0;
  for (const { learningId, vote, withheld } of await tx.learnings.injected({ loopId })) {
    const learning = await tx.learnings.get(learningId);
    if (learning === null || withheld || vote === null || vote === 'none') continue;
    const votes = {
      helpful: Math.max(0, learning.helpful - (vote === 'helpful' ? 1 : 0)),
      harmful: Math.max(0, learning.harmful - (vote === 'harmful' ? 1 : 0)),
    };
    const status = statusFromVotes({ ...learning, ...votes }, demoteAfter);
    await tx.learnings.edit(learningId, { ...votes, status });
    count++;
  }
  await tx.learnings.forgetInjected(loopId);
  return count;
}

/** The originals come back as they were; what stood for them goes. */
async function undoMerge(tx: StoreTx, id: string): Promise<void> {
  const originals: readonly Learning[] = await tx.learnings.list({ supersededBy: id });
  for (const original of originals) {
    await tx.learnings.edit(original.id, { status: 'active', prunedAt: null, supersededBy: null });
  }
  await tx.learnings.delete(id);
}
