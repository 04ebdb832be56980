import type { Settings } from '../core/config/schema.ts';
import { mergeLearnings } from '../core/memory/merge-learnings.ts';
import type { StoreTx } from '../ports/store.ts';
import type { Engine } from './engine.ts';
import { freeId } from './free-id.ts';

/** More are never looked at at once: the work in a transaction stays short. */
const maxConsidered = 2000;

/**
 * Merges active learnings that say much the same once there are too many, and not again before so many further
 * iterations. The originals are kept and point to what stands for them.
 */
export async function mergeMemory(
  engine: Pick<Engine, 'ids'>,
  tx: StoreTx,
  { 'summarise-above': above, 'summarise-every': every }: Settings['memory'],
  now: number,
): Promise<number> {
  const { active } = await tx.learnings.countByStatus();
  if (active <= above) return 0;
  const last = await tx.learnings.lastMerge();
  if (last !== null && (await tx.attempts.countSince(last)) < every) return 0;
  const learnings = await tx.learnings.list({ statuses: ['active'], limit: maxConsidered });
  // What a person wrote or confirmed stays as they wrote it.
  const merges = mergeLearnings(learnings.filter(({ byHand }) => !byHand));
  for (const { originals, merged } of merges) {
    const id = await freeId(engine, tx);
    await tx.learnings.add({ ...merged, id, origin: 'merge', status: 'active', createdAt: now });
    for (const original of originals) {
      await tx.learnings.edit(original, { status: 'pruned', prunedAt: now, supersededBy: id });
    }
  }
  return merges.length;
}
