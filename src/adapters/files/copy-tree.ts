import { constants, type Stats } from 'node:fs';
import {
  chmod,
  copyFile,
  link,
  lstat,
  lutimes,
  mkdir,
  readdir,
  readlink,
  symlink,
  utimes,
} from 'node:fs/promises';
import path from 'node:path';
import { decodePath, encodePath } from '../git/path-bytes.ts';
import { movedLink, type Move } from './relocation.ts';

/** More at once do not make it faster: the disk, or one lock in its file system, is what takes time. */
const atOnce = 4;

export type CopiedTree = {
  /** Paths, relative to the tree, that may not be read. */
  readonly unreadable: readonly string[];
  /** Folders of Python environments, relative to the tree. */
  readonly environments: readonly string[];
};

/**
 * Copies a file or a folder to a path where there is nothing. Blocks are shared where the disk can do that until one side is
 * written; nothing else is. A file with several names in the tree has them in the copy. Modes and times are kept, pipes and sockets are left out, and
 * what vanishes meanwhile was never there.
 */
export async function copyTree(
  from: string,
  to: string,
  moves: readonly Move[],
  signal: AbortSignal,
): Promise<CopiedTree> {
  const unreadable: string[] = [];
  const environments: string[] = [];
  const folders: { readonly to: string; readonly found: Stats }[] = [];
  const copies = new Map<string, { readonly to: string; readonly copied: Promise<boolean> }>();
  const running = new Set<Promise<void>>();
  let failure: Error | null = null;

  const readable = async <T>(file: string, read: () => Promise<T>): Promise<T | null> => {
    try {
      return await read();
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : null;
      if (code === 'EACCES' || code === 'EPERM') unreadable.push(path.relative(from, file));
      else if (code !== 'ENOENT') throw error;
      return null;
    }
  };
  const copyLink = async (file: string, target: string, found: Stats): Promise<void> => {
    const text = await readable(file, () => readlink(exact(file), { encoding: 'buffer' }));
    if (text === null) return;
    const moved = movedLink(decodePath(text), { at: file, tree: from, moves });
    await symlink(exact(moved), exact(target));
    await lutimes(exact(target), seconds(found.atimeMs), seconds(found.mtimeMs));
  };
  const copyContent = async (file: string, target: string, found: Stats): Promise<boolean> => {
    const how = constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL;
    const copied = await readable(file, async () => {
      await copyFile(exact(file), exact(target), how);
      return true;
    });
    if (copied === null) return false;
    await utimes(exact(target), seconds(found.atimeMs), seconds(found.mtimeMs));
    return true;
  };
  const copyFileOnce = async (file: string, target: string, found: Stats): Promise<void> => {
    const identity = `${found.dev}:${found.ino}`;
    const first = copies.get(identity);
    if (first !== undefined && (await first.copied)) {
      await link(exact(first.to), exact(target));
      return;
    }
    const copied = copyContent(file, target, found);
    if (found.nlink > 1) copies.set(identity, { to: target, copied });
    await copied;
  };
  /** Waits for a free hand, not for the work itself. */
  const handOut = async (work: () => Promise<void>): Promise<void> => {
    while (running.size >= atOnce) await Promise.race(running);
    signal.throwIfAborted();
    if (failure !== null) throw failure;
    const task: Promise<void> = work()
      .catch((error: unknown) => {
        failure ??= error instanceof Error ? error : new Error(String(error));
      })
      .finally(() => running.delete(task));
    running.add(task);
  };
  const copyEntry = async (file: string, target: string): Promise<void> => {
    const found = await readable(file, () => lstat(exact(file)));
    if (found === null) return;
    if (found.isDirectory()) return copyFolder(file, target, found);
    if (found.isSymbolicLink()) return handOut(() => copyLink(file, target, found));
    if (found.isFile()) return handOut(() => copyFileOnce(file, target, found));
  };
  const copyFolder = async (file: string, target: string, found: Stats): Promise<void> => {
    const names = await readable(file, () => readdir(exact(file), { encoding: 'buffer' }));
    if (names === null) return;
    await mkdir(exact(target), { mode: 0o700 });
    folders.push({ to: target, found });
    for (const name of names.map((bytes) => decodePath(bytes))) {
      if (name === 'pyvenv.cfg') environments.push(path.relative(from, file));
      await copyEntry(`${file}/${name}`, `${target}/${name}`);
    }
  };

  try {
    await copyEntry(from, to);
  } finally {
    await Promise.all(running);
  }
  signal.throwIfAborted();
  if (failure !== null) throw failure;
  // Last: a folder may be one that nothing can be written into, and writing changes its time.
  for (const { to: folder, found } of folders.toReversed()) {
    await utimes(exact(folder), seconds(found.atimeMs), seconds(found.mtimeMs));
    await chmod(exact(folder), found.mode & 0o7777);
  }
  return { unreadable, environments };
}

function exact(file: string): string | Buffer {
  return file.isWellFormed() ? file : encodePath(file);
}

function seconds(ms: number): number {
  return ms / 1000;
}
