import { lstat, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { removeFolder } from '../git/remove-folder.ts';
import { copyTree } from './copy-tree.ts';
import { movedText, type Move } from './relocation.ts';

/**
 * A copy of a file or folder of a project, at the same place in another folder, that shares nothing with it: what is written,
 * deleted or renamed in the copy stays there. Links and Python environments in it that name the project name the other
 * folder. There is no half copy: it gets its name when it is whole. Answers the paths in it that may not be read.
 */
export async function makePrivateCopy(
  entry: string,
  project: Move,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const named = path.join(project.from, entry);
  const to = path.join(project.to, entry);
  const partial = path.join(path.dirname(to), `.${path.basename(to)}.loopwright-partial`);
  // One that is a link itself is followed: what is written would go through it.
  const from = await realpath(named);
  const moves = [
    { from, to },
    { from: named, to },
    project,
    { from: await realpath(project.from), to: project.to },
  ];
  await removeFolder(partial);
  try {
    const { unreadable, environments } = await copyTree(from, partial, moves, signal);
    for (const folder of environments) {
      await relocateEnvironment(path.join(partial, folder), moves);
    }
    // What older versions put there: a link into the project.
    await rm(to, { force: true });
    await rename(partial, to);
    return unreadable.map((file) => path.join(entry, file));
  } catch (error) {
    await removeFolder(partial);
    throw error;
  }
}

/**
 * A Python environment names its own folder in its programs, which would start the user's and install into it, and the project in
 * what was installed to be edited.
 */
async function relocateEnvironment(folder: string, moves: readonly Move[]): Promise<void> {
  const packages = await listBelow(folder, ['lib', 'lib64'], /^python/, /^site-packages$/);
  const installed = await listBelow(folder, packages, /\.pth$|\.egg-link$|^__editable__.*\.py$/);
  const programs = await listBelow(folder, ['bin'], /./);
  for (const name of ['pyvenv.cfg', ...programs, ...installed]) {
    const file = path.join(folder, name);
    if ((await lstat(file)).isFile()) await relocateFile(file, moves);
  }
}

/** Paths below these folders, one step down for each pattern. */
async function listBelow(
  root: string,
  folders: readonly string[],
  pattern: RegExp,
  ...deeper: readonly RegExp[]
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const folder of folders) {
    const at = path.join(root, folder);
    // `lib64` is a link to `lib`, where each file is found once.
    if ((await lstat(at).catch(() => null))?.isDirectory() !== true) continue;
    const names = (await readdir(at)).filter((name) => pattern.test(name));
    found.push(...names.map((name) => path.join(folder, name)));
  }
  const [next, ...rest] = deeper;
  return next === undefined ? found : listBelow(root, found, next, ...rest);
}

const maxBytes = 1024 * 1024;

/** Its time becomes now: what was compiled from it is compiled again. */
async function relocateFile(file: string, moves: readonly Move[]): Promise<void> {
  if ((await lstat(file)).size > maxBytes) return;
  const bytes = await readFile(file);
  if (bytes.includes(0)) return;
  const inBytes = moves.map(({ from, to }) => ({ from: latin(from), to: latin(to) }));
  const text = bytes.toString('latin1');
  const moved = movedText(text, inBytes);
  if (moved !== text) await writeFile(file, moved, 'latin1');
}

function latin(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}
