import { existsSync } from 'node:fs';
import path from 'node:path';
import { LoopwrightError } from '../../core/error.ts';
import { entriesOf } from '../files/folder-entries.ts';
import { smallText } from '../files/small-file.ts';
import { listCheckoutsOf } from './fast-forward.ts';
import { keepRef, keptPrefix, stashMark } from './loop-checkout.ts';
import { refuseLockedDeletion } from './refuse-locked.ts';
import type { Repository } from './repository.ts';

/** Branches under this prefix are the engine's; no other branch is ever deleted. */
export const branchPrefix = 'loopwright/';

/** Deletes the branch, and the refs that keep its newest commit and what was left uncommitted. */
export async function deleteLoopBranch(
  repository: Repository,
  branch: string,
  signal: AbortSignal,
): Promise<void> {
  if (!branch.startsWith(branchPrefix)) {
    throw new LoopwrightError(
      'git.not_ours',
      `${branch} is not a loop's branch, it is not deleted`,
    );
  }
  const ref = `refs/heads/${branch}`;
  const [checkout] = await listCheckoutsOf(repository, ref, signal);
  if (checkout !== undefined) {
    throw new LoopwrightError(
      'git.branch_in_use',
      `${branch} is checked out at ${checkout.workTree}`,
      {
        hint: 'Switch that checkout to another branch, then try again.',
      },
    );
  }
  const id = branch.slice(branchPrefix.length);
  const stashes = [...(await listLoopRefs(repository, signal))].filter((name) =>
    name.startsWith(`${id}${stashMark}`),
  );
  const refs = [ref, ...[id, ...stashes].map(keepRef)];
  await refuseLockedDeletion(repository.main.commonDir, refs, signal);
  const lines = refs.map((each) => `delete ${each}`);
  await repository.output({
    args: ['update-ref', '--stdin'],
    input: `${lines.join('\n')}\n`,
    signal,
  });
}

const longestList = 64 * 1024 * 1024;

/** Ids that have a branch or a keeping ref. No process where refs are files. */
export async function listLoopRefs(
  repository: Repository,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const { commonDir } = repository.main;
  const prefixes = [`refs/heads/${branchPrefix}`, keptPrefix];
  if (existsSync(path.join(commonDir, 'reftable'))) {
    const args = ['for-each-ref', '--format=%(refname)', ...prefixes];
    return idsOf((await repository.text({ args, signal })).split('\n'), prefixes);
  }
  const loose = prefixes.flatMap((prefix) =>
    entriesOf(path.join(commonDir, prefix)).map(({ name }) => `${prefix}${name}`),
  );
  const packed = smallText(path.join(commonDir, 'packed-refs'), 'latin1', longestList) ?? '';
  const lines = packed.includes('loopwright') ? packed.split('\n') : [];
  return idsOf([...loose, ...lines.map((line) => line.slice(line.indexOf(' ') + 1))], prefixes);
}

function idsOf(refs: readonly string[], prefixes: readonly string[]): ReadonlySet<string> {
  return new Set(
    refs.flatMap((ref) => {
      const prefix = prefixes.find((each) => ref.startsWith(each));
      return prefix === undefined || ref.endsWith('.lock') ? [] : [ref.slice(prefix.length)];
    }),
  );
}
