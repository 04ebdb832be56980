import { lstat } from 'node:fs/promises';
import { filePath, joinRecords, splitRecords } from './path-bytes.ts';
import type { LoopCheckout } from './loop-checkout.ts';

/**
 * Takes the flags from the engine's index that make git look away from a file: those of the user's own index, where it comes
 * from in place, or of an agent that found it. A file that a sparse checkout left out stays out.
 */
export async function clearFlags(
  { repository, at, workTree, index }: LoopCheckout,
  signal: AbortSignal,
): Promise<void> {
  const env = { GIT_INDEX_FILE: index.file };
  const listed = await repository.output({ at, env, args: ['ls-files', '-v', '-z'], signal });
  const assumed: string[] = [];
  const skipped: string[] = [];
  for (const record of splitRecords(listed)) {
    const [tag = '', name] = [record[0], record.slice(2)];
    if (tag !== tag.toUpperCase()) assumed.push(name);
    if (tag.toUpperCase() === 'S' && (await isThere(filePath(workTree, name)))) skipped.push(name);
  }
  for (const [flag, names] of [
    ['--no-assume-unchanged', assumed],
    ['--no-skip-worktree', skipped],
  ] as const) {
    if (names.length === 0) continue;
    const args = ['update-index', flag, '-z', '--stdin'];
    await repository.output({ at, env, args, input: joinRecords(names), signal });
    index.changed();
  }
}

async function isThere(file: string | Buffer): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}
