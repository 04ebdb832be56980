import { existsSync } from 'node:fs';
import path from 'node:path';
import { LoopwrightError } from '../../core/error.ts';
import { entriesOf } from '../files/folder-entries.ts';
import { smallText } from '../files/small-file.ts';
import { listCheckoutsOf } from './user-checkouts.ts';
import { keepRef, keptPrefix, pastFolder, pastRef, stashMark } from './loop-checkout.ts';
import { refuseLockedDeletion } from './refuse-locked.ts';
import { resolveCommit } from './repository.ts';
import type { Repository } from './repository.ts';

/** Branches under this prefix are the engine's; no other branch is ever deleted. */
export const branchPrefix = 'loopwright/';

/** Deletes the branch of a merged loop. Its commits stay reachable: `loop diff` and receipts name them. */
export async function retireLoopBranch(
  repository: Repository,
  branch: string,
  signal: AbortSignal,
): Promise<void> {
  const loopId = await requireUnused(repository, branch, signal);
  const refs = await listRefs(repository, branch, signal);
  const commits = new Set<string>();
  for (const ref of refs) {
    const commit = await resolveCommit(repository, ref, signal);
    if (commit !== null) commits.add(commit);
  }
  const kept = [...commits].map((commit) => `update ${pastRef(loopId, commit)} ${commit}`);
  await removeRefs(repository, refs, kept, signal);
}

/** Deletes the branch of a loop and every ref that keeps its commits. */
export async function deleteLoopBranch(
  repository: Repository,
  branch: string,
  signal: AbortSignal,
): Promise<void> {
  const loopId = await requireUnused(repository, branch, signal);
  const past = await listPast(repository, loopId, signal);
  const refs = await listRefs(repository, branch, signal);
  await removeRefs(repository, [...refs, ...past], [], signal);
}

/** The branch, and the refs that keep its newest commit and what was left uncommitted. */
async function listRefs(
  repository: Repository,
  branch: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const id = branch.slice(branchPrefix.length);
  const all = [...(await listLoopRefs(repository, signal))];
  const stashes = all.filter((name) => name.startsWith(`${id}${stashMark}`));
  return [`refs/heads/${branch}`, ...[id, ...stashes].map(keepRef)];
}

/** Answers whose branch it is. */
async function requireUnused(
  repository: Repository,
  branch: string,
  signal: AbortSignal,
): Promise<string> {
  if (!branch.startsWith(branchPrefix)) {
    throw new LoopwrightError(
      'git.not_ours',
      `${branch} is not a loop's branch, it is not deleted`,
    );
  }
  const [checkout] = await listCheckoutsOf(repository, `refs/heads/${branch}`, signal);
  if (checkout === undefined) return branch.slice(branchPrefix.length);
  throw new LoopwrightError(
    'git.branch_in_use',
    `${branch} is checked out at ${checkout.workTree}`,
    {
      hint: 'Switch that checkout to another branch, then try again.',
    },
  );
}

async function removeRefs(
  repository: Repository,
  refs: readonly string[],
  first: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  await refuseLockedDeletion(repository.main.commonDir, refs, signal);
  const input = [...first, ...refs.map((ref) => `delete ${ref}`), ''].join('\n');
  await repository.output({ args: ['update-ref', '--stdin'], input, signal });
}

async function listPast(
  repository: Repository,
  loopId: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const folder = pastFolder(loopId);
  if (!mayHaveRefs(repository.main.commonDir, folder)) return [];
  const args = ['for-each-ref', '--format=%(refname)', folder];
  const names = await repository.text({ args, signal });
  return names.split('\n').filter((name) => name !== '');
}

/** Most branches that are deleted are of short-lived worktrees and have none: that costs no process. */
function mayHaveRefs(commonDir: string, folder: string): boolean {
  if (existsSync(path.join(commonDir, folder))) return true;
  if (existsSync(path.join(commonDir, 'reftable'))) return true;
  const packed = smallText(path.join(commonDir, 'packed-refs'), 'latin1', longestList);
  return packed?.includes(`${folder}/`) ?? existsSync(path.join(commonDir, 'packed-refs'));
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
