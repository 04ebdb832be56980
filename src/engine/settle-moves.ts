import type { Engine } from './engine.ts';

/** One engine of the repository moves or settles at a time. */
export const movesLock = 'moves';
/** Long enough for the files of a large repository. */
const longestMs = 600_000;

/**
 * Finishes or undoes what a killed engine had begun to move in the user's checkouts, before anything looks at them.
 * Costs the look into one folder when there is nothing.
 */
export async function settleMoves(engine: Engine): Promise<void> {
  const { project, publish } = engine;
  if (!project.hasCutMoves()) return;
  const signal = AbortSignal.timeout(longestMs);
  try {
    await using _lock = await holdMoves(engine, signal);
    for (const text of await project.settleMoves(signal)) publish({ kind: 'notice', text });
  } catch (error) {
    if (!signal.aborted) throw error;
    const text =
      'warning: another engine is moving your checkout for more than ten minutes; a move that was cut is settled later';
    publish({ kind: 'notice', text });
  }
}

/** Held while refs, index or files of the user's are moved. */
export function holdMoves({ locks }: Engine, signal: AbortSignal): Promise<AsyncDisposable> {
  return locks.take(movesLock, signal);
}
