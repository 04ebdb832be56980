import { createLocks } from '../../adapters/files/lock-files.ts';
import { hasMoves } from '../../adapters/git/move-record.ts';
import type { Repository } from '../../adapters/git/repository.ts';
import { settleMoves } from '../../adapters/git/settle-moves.ts';
import { movesLock } from '../../engine/settle-moves.ts';
import type { Clock } from '../../ports/clock.ts';
import { ok, warn, type Check } from './doctor-check.ts';

/** Merges that were cut short in a checkout of the user's. Every run settles them; `--fix` does so now. */
export async function checkMoves(
  repository: Repository,
  { stateDir, clock, isFix }: { stateDir: string; clock: Clock; isFix: boolean },
  signal: AbortSignal,
): Promise<Check> {
  const { commonDir } = repository.main;
  if (!hasMoves(commonDir)) return ok('moves', 'none cut short');
  const notes: string[] = [];
  if (isFix) {
    await using _lock = await createLocks(stateDir, clock).take(movesLock, signal);
    notes.push(...(await settleMoves(repository, signal)));
    if (!hasMoves(commonDir)) return ok('moves', [...notes, 'settled'].join('; '));
  }
  const text = 'a merge into a checkout is under way, or was cut short';
  return warn(
    'moves',
    [text, ...notes].join('; '),
    isFix
      ? 'finish or abort what is under way in that checkout, then `loopwright doctor --fix`'
      : 'the next `loopwright run` settles it; at once: `loopwright doctor --fix`',
  );
}
