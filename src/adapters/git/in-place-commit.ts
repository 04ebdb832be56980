import { LoopwrightError } from '../../core/error.ts';
import type { CommitInput } from '../../ports/workspace.ts';
import { commitMessage } from './commit-message.ts';
import type { Revision } from './commit.ts';
import { installIndex } from './index-lock.ts';
import type { LoopCheckout } from './loop-checkout.ts';
import { setEntries } from './scratch-index.ts';
import { diffTreePairs } from './tree-diff.ts';
import { holdIndex, moveRef, underRecord } from './user-move.ts';

/** Where the user's branch is, what the commit builds on, and what it holds. */
type Step = { readonly tip: Revision; readonly parent: Revision; readonly tree: string };

/**
 * A commit on the branch that the user has checked out. Their index follows in the paths that the commit changes; what
 * they have staged elsewhere stays. A kill between branch and index would show the commit as staged away: the move is
 * recorded, and the next start lets the index follow.
 */
export async function commitInPlace(
  { repository, at, branch, loopId }: LoopCheckout,
  { tip, parent, tree }: Step,
  { subject, trailers }: CommitInput,
  signal: AbortSignal,
): Promise<string> {
  const args = ['commit-tree', '--no-gpg-sign', '-p', parent.commit, '-F', '-', tree];
  const input = commitMessage(subject, trailers);
  const commit = await repository.text({ at, args, input, signal });
  await repository.disk.objects();
  const [entries = []] = await diffTreePairs(repository, [[parent.tree, tree]], signal);
  const changes = entries.map(({ path, status, newMode, newId }) => ({
    path,
    side: status === 'D' ? null : { mode: newMode, id: newId },
  }));
  const gitDirs = [at.gitDir];
  const planned = { branch, from: tip.commit, to: commit, loops: [loopId], gitDirs } as const;
  return underRecord(repository, { ...planned, follows: 'index' }, async (move) => {
    const env = await holdIndex(at, move, signal);
    await setEntries({ repository, at, env, idLength: commit.length }, changes, signal);
    if (!(await moveRef(repository, at, move, 'loopwright: iteration', signal))) {
      throw new LoopwrightError('git.busy', `${branch} was moved by somebody else meanwhile`, {
        hint: 'Resume the loop: it goes on from where the branch is.',
      });
    }
    await repository.reach('before:move-index');
    installIndex(at.gitDir, move.id);
    await repository.reach('after:move-index');
    return { isOver: true, result: commit };
  });
}
