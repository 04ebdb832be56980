import type { StoreTx } from '../ports/store.ts';
import type { Engine } from './engine.ts';

/** Ids of learnings are short: one that is taken is drawn again. */
export async function freeId({ ids }: Pick<Engine, 'ids'>, tx: StoreTx): Promise<string> {
  for (;;) {
    const id = ids.learning();
    if ((await tx.learnings.get(id)) === null) return id;
  }
}
