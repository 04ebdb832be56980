import { baseMoveText, baseRest } from '../core/loop/base-text.ts';
import type { Rest } from '../core/loop/judge.ts';
import { lastIteration, openIteration, type Loop } from '../core/loop/loop.ts';
import type { Engine } from './engine.ts';
import { lookAtBase } from './look-at-base.ts';
import { recallLook } from './surroundings-record.ts';

export type BaseDoubt =
  /** It was moved back just now: it has to be looked at again. */
  | { readonly kind: 'moved-back'; readonly text: string }
  /** Nobody can say who moved it, and a person has to decide. */
  | { readonly kind: 'doubtful'; readonly rest: Rest };

/**
 * Whether a base branch may be built upon, as far as other loops are concerned: their agents may have moved it and still be at
 * work, or one of them is blocked because of it. A branch that such an agent moved is moved back. Null: nothing speaks against it.
 */
export async function guardBase(
  engine: Engine,
  branch: string,
  exceptId: string | null,
  signal: AbortSignal,
): Promise<BaseDoubt | null> {
  for (const loop of await loopsOn(engine, branch)) {
    if (loop.id === exceptId) continue;
    const doubt =
      (await whileAtWork(engine, loop, signal)) ?? (await sinceBlocked(engine, loop, signal));
    if (doubt !== null) return doubt;
  }
  return null;
}

/** Loops with this base that have an agent at work, or are blocked because of the base. */
async function loopsOn({ store }: Engine, branch: string): Promise<readonly Loop[]> {
  return store.read(async (tx) => {
    const found: Loop[] = [];
    for (const { id, status } of await tx.loops.list({})) {
      if (!['running', 'waiting', 'blocked'].includes(status)) continue;
      const loop = await tx.loops.get(id);
      if (loop?.workspace.baseRef === branch) found.push(loop);
    }
    return found;
  });
}

async function whileAtWork(
  engine: Engine,
  loop: Loop,
  signal: AbortSignal,
): Promise<BaseDoubt | null> {
  const iteration = openIteration(loop);
  if (iteration?.surroundings === undefined) return null;
  const before = await recallLook(engine, loop, iteration.surroundings);
  // Its own look will say so.
  if (before === null) return null;
  const move = await lookAtBase(engine, loop, { iteration, before }, signal);
  if (move === null) return null;
  const { back, branch, to } = move;
  if (back === null) return { kind: 'doubtful', rest: baseRest(loop.id, move) };
  const wish = { branch, from: to, to: back, loopId: loop.id };
  if (await engine.project.moveBack(wish, signal)) {
    return { kind: 'moved-back', text: `${loop.id}: ${baseMoveText(move)}` };
  }
  const why = 'it could not be moved back: somebody has moved it on, or holds its lock';
  return { kind: 'doubtful', rest: baseRest(loop.id, { ...move, back: null, why }) };
}

/** Until a person goes on with that loop, or moves the branch back. */
async function sinceBlocked(
  { project }: Engine,
  loop: Loop,
  signal: AbortSignal,
): Promise<BaseDoubt | null> {
  const move = lastIteration(loop)?.baseMove;
  if (move === undefined || move.back !== null) return null;
  if (loop.status !== 'blocked' || loop.reason !== 'integrity') return null;
  const now = await project.resolve(`refs/heads/${move.branch}`, signal);
  const isThere = now !== null && (await project.contains(now, move.to, signal));
  return isThere ? { kind: 'doubtful', rest: baseRest(loop.id, move) } : null;
}
