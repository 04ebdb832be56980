import { withNewKeys } from '../../core/config/frozen.ts';
import { evolve } from '../../core/loop/evolve.ts';
import type { Loop } from '../../core/loop/loop.ts';
import { readWholeLog } from './event-log.ts';
import type { Db } from './schema.ts';

export type FoldedLog = { readonly loop: Loop | null; readonly brokenAt: number | null };

/** Folds the whole part of a log, a page at a time. `newest` is the sequence that it should end with. */
export async function foldLog(db: Db, loopId: string, newest: number): Promise<FoldedLog> {
  let loop: Loop | null = null;
  const brokenAt = await readWholeLog(db, loopId, newest, (recorded) => {
    const next: Loop | null = evolve(loop, recorded);
    const isReread = next !== null && next.settings !== loop?.settings;
    // Settings of an older version lack the keys that were added since.
    loop = isReread ? { ...next, settings: withNewKeys(next.settings) } : next;
  });
  return { loop, brokenAt };
}
