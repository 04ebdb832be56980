import type { Repository } from '../../adapters/git/repository.ts';

const maxListedBytes = 1024 * 1024;

/** Paths that exist and that git ignores; a folder that is ignored as a whole is one entry with a slash behind it. */
export async function listIgnored(
  repository: Repository,
  signal: AbortSignal,
): Promise<readonly string[]> {
  return listOthers(repository, ['--ignored'], signal);
}

/** Paths that exist and that git neither tracks nor ignores, in the same form. */
export async function listUntracked(
  repository: Repository,
  signal: AbortSignal,
): Promise<readonly string[]> {
  return listOthers(repository, [], signal);
}

async function listOthers(
  repository: Repository,
  which: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const args = ['ls-files', '-z', '--others', ...which, '--exclude-standard', '--directory'];
  const result = await repository.run({ args, signal, maxOutputBytes: maxListedBytes });
  const records = result.stdout.toString('utf8').split('\0');
  // The last record of a list that was too long is half a path.
  return records.slice(0, -1);
}
