import type { Loop } from '../core/loop/loop.ts';
import { isOwnMove, userIndex, type OwnMove } from '../core/loop/surroundings.ts';
import type { SurroundingChange } from '../ports/workspace.ts';
import type { Engine } from './engine.ts';

export type OwnMoves = {
  readonly moves: readonly OwnMove[];
  /** One of them is recorded as begun and not as done: files and refs may change at any moment. */
  readonly isUnderWay: boolean;
};

/** Clocks are set, and a merge may have begun a little before. */
const marginMs = 60_000;

/** What merges of this project have moved since then, in this process or another: the store has the facts. */
export async function readOwnMoves({ store }: Engine, since: number): Promise<OwnMoves> {
  const loops = await store.read(async (tx) => {
    const rows = await tx.loops.list({});
    const recent = rows.filter(
      ({ status, updatedAt }) => status === 'complete' && updatedAt >= since - marginMs,
    );
    const found: Loop[] = [];
    for (const { id } of recent) {
      const loop = await tx.loops.get(id);
      if (loop !== null) found.push(loop);
    }
    return found;
  });
  const moves = loops.flatMap(({ merging }) => merging ?? []);
  const isUnderWay = loops.some(
    ({ merging, mergedInto }) => merging !== undefined && mergedInto === null,
  );
  return { moves, isUnderWay };
}

/** The changes that no merge of ours explains. A merge takes the index of a checkout along, and it holds nothing else then. */
export async function withoutOwnMoves(
  engine: Engine,
  changes: readonly SurroundingChange[],
  { moves }: OwnMoves,
  signal: AbortSignal,
): Promise<readonly SurroundingChange[]> {
  if (moves.length === 0) return changes;
  const own = changes.filter((change) => isOwnMove(change, moves));
  const isTakenAlong = async (): Promise<boolean> => {
    for (const { after } of own) {
      if (after !== null && (await engine.project.isStaged(after, signal))) return true;
    }
    return false;
  };
  const others = changes.filter((change) => !own.includes(change));
  const staged = others.some(({ name }) => name === userIndex) && (await isTakenAlong());
  return staged ? others.filter(({ name }) => name !== userIndex) : others;
}
