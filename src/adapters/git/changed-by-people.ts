import type { Repository } from './repository.ts';

/** Older commits say little more: a base that moved so far is another base. */
const maxCommits = 500;

/** Commits of loops carry this trailer. */
const ofLoops = '^Loopwright-Loop: ';

/** Files that commits after `from` up to `to` changed, those of loops left out; none when a commit is not there. */
export async function listChangedByPeople(
  repository: Repository,
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const which = [`--max-count=${maxCommits}`, '--invert-grep', `--grep=${ofLoops}`];
  const how = ['--format=', '--name-only', '-z', '--no-renames', '--no-ext-diff', '--no-textconv'];
  const args = ['log', ...which, ...how, '--end-of-options', to, `^${from}`];
  const { exitCode, stdout } = await repository.run({ args, signal });
  if (exitCode !== 0) return [];
  return [...new Set(stdout.toString('utf8').split('\0'))].filter((file) => file !== '');
}
