import { lstatSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { smallText } from '../files/small-file.ts';
import type { Checkout } from './git.ts';
import { ownRefs } from './loop-checkout.ts';
import { readRef } from './ref-files.ts';
import { isAncestor, isObjectId, type Repository } from './repository.ts';

/**
 * A power cut can leave names without content: objects that are empty, refs that are, and refs whose commit never reached the
 * disk. Facts come after what they name, but an agent's git syncs nothing, and nor does a person's.
 */

/** A loop's branch as a loop's facts and refs tell of it. */
type Loop = {
  readonly loopId: string;
  readonly mode: 'worktree' | 'in-place';
  readonly branch: string;
  readonly base: string;
  /** Commits that facts of the loop name, newest first. */
  readonly recorded: readonly string[];
};

/**
 * Where the branch of a loop, or the ref that keeps its newest commit, names what cannot be read to its last file: it is put to
 * the newest commit that can be. Files are not touched. Answers what was done, in plain words.
 */
export async function putBackLostRefs(
  repository: Repository,
  loop: Loop,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { main } = repository;
  const verdicts = new Map<string, Promise<boolean>>();
  const isWhole = (commit: string) => {
    const known = verdicts.get(commit) ?? canBeRead(repository, commit, loop.base, signal);
    verdicts.set(commit, known);
    return known;
  };
  const refs = ownRefs(loop).map((name) => ({ name, now: readRef(main, name) }));
  const lost: string[] = [];
  for (const { name, now } of refs) {
    if (now === null) continue;
    if (now === undefined ? isBrokenFile(main, name) : !(await isWhole(now))) lost.push(name);
  }
  if (lost.length === 0) return [];
  const named = [...refs.map(({ now }) => now ?? ''), ...loop.recorded];
  const logged = refs.flatMap(({ name }) => reflogOf(main, name));
  // One from before a rebase would bring the changes of the base as the loop's own.
  const isUsable = async (commit: string) =>
    (await isWhole(commit)) && isAncestor(repository, loop.base, commit, signal);
  const newest = await firstOf([...named, ...logged], isUsable);
  for (const name of lost.filter((each) => isBrokenFile(main, each)))
    await rm(path.join(main.commonDir, name), { force: true });
  const input = lost.map((name) => `update ${name} ${newest ?? loop.base}\n`).join('');
  const args = ['update-ref', '-m', 'loopwright: what it named was lost', '--stdin'];
  await repository.output({ args, input, signal });
  await repository.disk.refs(lost);
  const what = lost.map((name) => name.replace(/^refs\/(?:heads\/)?/, '')).join(' and ');
  const where =
    newest === null ? 'the base' : `${newest.slice(0, 12)}, the newest that can be read`;
  return [`${what} named a commit that the disk has lost, as a power cut does: put to ${where}`];
}

/** A commit with everything that it has and the base has not. */
export async function canBeRead(
  repository: Repository,
  commit: string,
  base: string | null,
  signal: AbortSignal,
): Promise<boolean> {
  const range = [commit, ...(base === null ? [] : ['--not', base])];
  const args = ['rev-list', '--objects', '--quiet', ...range];
  return (await repository.run({ args, signal })).exitCode === 0;
}

async function firstOf(
  commits: readonly string[],
  isUsable: (commit: string) => Promise<boolean>,
): Promise<string | null> {
  for (const commit of new Set(commits)) {
    if (isObjectId(commit) && (await isUsable(commit))) return commit;
  }
  return null;
}

/** A ref's file that holds no name of a commit: git refuses to read it, and to write it. */
function isBrokenFile({ commonDir }: Checkout, ref: string): boolean {
  const file = path.join(commonDir, ref);
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false;
  const text = smallText(file)?.trim() ?? '';
  return !isObjectId(text) && !text.startsWith('ref: ');
}

const longestLog = 4 * 1024 * 1024;
const mostLogged = 100;

/** Newest first; what is not a line of a reflog is passed over. */
function reflogOf({ commonDir }: Checkout, ref: string): readonly string[] {
  const text = smallText(path.join(commonDir, 'logs', ref), 'latin1', longestLog) ?? '';
  return text
    .split('\n')
    .slice(-mostLogged)
    .map((line) => line.split(' ')[1] ?? '')
    .filter((id) => isObjectId(id) && !/^0+$/.test(id))
    .toReversed();
}

/**
 * Loose objects without content, moved out of the way: git takes them for present and does not write them again. An object gets
 * its name when it is whole, so one that is empty was never on the disk. Answers how many.
 */
export async function setAsideEmptyObjects(commonDir: string): Promise<number> {
  const root = path.join(commonDir, 'objects');
  const aside = path.join(commonDir, 'loopwright-damaged-objects');
  let moved = 0;
  for (const folder of await readdir(root)) {
    if (!/^[0-9a-f]{2}$/.test(folder)) continue;
    for (const name of await readdir(path.join(root, folder)).catch(() => [])) {
      const file = path.join(root, folder, name);
      if (!/^(?:[0-9a-f]{38}|[0-9a-f]{62})$/.test(name) || !(await isHollow(file))) continue;
      await mkdir(aside, { recursive: true });
      await rename(file, path.join(aside, `${folder}${name}`));
      moved += 1;
    }
  }
  return moved;
}

/** Empty, or with a length and nothing on the disk behind it. */
async function isHollow(file: string): Promise<boolean> {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found?.isFile() !== true) return false;
  if (found.size === 0) return true;
  // Some disks keep small files where no block is counted.
  return found.blocks === 0 && (await readFile(file)).every((byte) => byte === 0);
}
