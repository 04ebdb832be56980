import type { CommitInput } from '../../ports/workspace.ts';
import type { Revision } from './commit.ts';
import { escapedName } from '../../core/text/file-name.ts';
import type { LoopCheckout } from './loop-checkout.ts';
import { splitRecords } from './path-bytes.ts';

type Chosen = { readonly parent: Revision; readonly notes: string[] };

/**
 * Commits that the agent made itself are built upon, unless one of them holds a file that must be in none: then the files as
 * they are go on top of where the iteration started. In place the branch is the user's, and so may be the commits: nothing
 * is taken from it, and the note says what is there.
 */
export async function refuseKeptOut(
  { repository, mode }: LoopCheckout,
  start: Revision | null,
  { parent, notes }: Chosen,
  isKeptOut: CommitInput['isKeptOut'],
  signal: AbortSignal,
): Promise<Chosen> {
  if (isKeptOut === undefined || start === null || start.commit === parent.commit)
    return { parent, notes };
  const format = ['--format=', '--name-only', '-z', '-m', '--no-renames', '--diff-filter=d'];
  const range = ['--end-of-options', `${start.commit}..${parent.commit}`];
  const args = ['log', ...format, '--no-ext-diff', '--no-textconv', ...range];
  const output = await repository.output({ args, signal });
  const found = [...new Set(splitRecords(output))].filter((name) => isKeptOut(name));
  if (found.length === 0) return { parent, notes };
  const names = `${found.slice(0, 5).map(escapedName).join(', ')}${found.length > 5 ? ', ...' : ''}`;
  if (mode === 'in-place') {
    notes.push(`commits of this iteration on your branch hold forbidden files (${names})`);
    return { parent, notes };
  }
  notes.push(`commits of the agent held forbidden files (${names}), made one without them`);
  return { parent: start, notes };
}
