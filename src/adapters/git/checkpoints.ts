import type { Checkpoint } from '../../ports/workspace.ts';
import { cut } from './describe-text.ts';
import type { Repository } from './repository.ts';

/** All commits of a branch since a base, oldest first. An iteration commit is known by its trailer. */
export async function listCheckpoints(
  repository: Repository,
  branch: string,
  base: string,
  signal: AbortSignal,
): Promise<readonly Checkpoint[]> {
  const format = '--format=%H%x00%ct%x00%s%x00%(trailers:only,unfold)';
  const range = ['--end-of-options', `refs/heads/${branch}`, `^${base}`];
  const args = ['log', '-z', '--reverse', '--topo-order', '--no-color', format, ...range];
  const fields = (await repository.output({ args, signal })).toString('utf8').split('\0');
  const checkpoints: Checkpoint[] = [];
  for (let at = 0; at + 3 < fields.length; at += 4) {
    const [commit = '', seconds = '', subject = '', trailers = ''] = fields.slice(at, at + 4);
    checkpoints.push({
      commit,
      iteration: iterationOf(trailers),
      subject: cut(subject, 500),
      timeMs: Number(seconds) * 1000,
    });
  }
  return checkpoints;
}

/** The loops that the trailers of these commits name. */
export async function listLoops(
  repository: Repository,
  commit: string,
  without: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const format = '--format=%(trailers:key=Loopwright-Loop,valueonly,unfold)';
  const range = ['--end-of-options', commit, ...without.map((each) => `^${each}`)];
  const text = await repository.text({ args: ['log', '--no-color', format, ...range], signal });
  const names = text.split('\n').map((line) => line.trim());
  return [...new Set(names)].filter((each) => each !== '').toSorted();
}

/** The value of `Iteration` or of any trailer whose name ends in `-Iteration`. */
function iterationOf(trailers: string): number | null {
  for (const line of trailers.split('\n')) {
    const [name = '', value = ''] = line.split(':', 2);
    const label = name.trim().toLowerCase();
    const number = value.trim();
    const named = label === 'iteration' || label.endsWith('-iteration');
    if (named && /^\d{1,9}$/.test(number)) return Number(number);
  }
  return null;
}
