import path from 'node:path';
import { LoopwrightError } from '../../core/error.ts';
import type { Checkout } from './git.ts';
import type { Repository } from './repository.ts';

/** What git says of the index of a checkout; null when it can read it. */
export async function indexFault(
  repository: Repository,
  at: Checkout,
  signal: AbortSignal,
): Promise<string | null> {
  if (at.workTree === null) return null;
  // Nothing is called so: the index is read, and nothing listed.
  const args = ['ls-files', '--cached', '--', '.git/loopwright'];
  const { exitCode, stderr } = await repository.run({ at, args, signal });
  const [first = ''] = stderr.trim().split('\n').toReversed();
  return exitCode === 0 ? null : first.replace(/^(?:fatal|error): /, '') || 'it cannot be read';
}

export async function refuseDamagedIndex(
  repository: Repository,
  at: Checkout,
  signal: AbortSignal,
): Promise<void> {
  const fault = await indexFault(repository, at, signal);
  if (fault === null) return;
  const file = indexFile(at);
  throw new LoopwrightError(
    'git.index_damaged',
    `git cannot read ${file} (${fault}); nothing was touched`,
    {
      hint: mendIndex(at),
    },
  );
}

/** Files stay as they are; only what was staged has to be staged again. */
export function mendIndex(at: Checkout): string {
  return `make it anew: \`rm ${indexFile(at)} && git reset\`; your files stay, what was staged has to be staged again`;
}

function indexFile({ gitDir }: Checkout): string {
  return path.join(gitDir, 'index');
}
