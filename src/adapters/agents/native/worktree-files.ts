/**
 * The files of a worktree, and never anything outside it: not by `..`, not as an absolute path, not through links, and
 * not when somebody swaps a folder for a link while it is being opened. The real path of the target must be inside;
 * then every component is opened from the handle of the one before, without following links.
 */
import { constants, existsSync } from 'node:fs';
import { lstat, mkdir, open, realpath, rename, unlink, type FileHandle } from 'node:fs/promises';
import type { BigIntStats } from 'node:fs';
import path from 'node:path';
import { isNodeError, ToolError } from './tool/tool.ts';

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** With `/proc` a handle can stand for its folder in a path. Elsewhere the real path is looked at again after opening. */
const hasHandlePaths = existsSync('/proc/self/fd');

export type OpenedFile = AsyncDisposable & {
  readonly handle: FileHandle;
  readonly stat: BigIntStats;
  /** From the worktree, without links. */
  readonly path: string;
};

export type OpenedFolder = AsyncDisposable & {
  readonly path: string;
  /** A path of the folder that leads to it and nowhere else, as long as it is open. */
  readonly location: string;
};

export type Written = {
  readonly path: string;
  readonly isNew: boolean;
  readonly stat: BigIntStats;
};

export class WorktreeFiles {
  readonly root: string;

  /** `root` is a real path. */
  constructor(root: string) {
    this.root = root;
  }

  /** A regular file, to be read. */
  async openFile(wanted: string): Promise<OpenedFile> {
    const relative = await this.#locate(wanted);
    if (relative === '') throw new ToolError('the worktree itself is a folder');
    await using folder = await this.openFolder(path.dirname(relative));
    const handle = await openPart(folder, path.basename(relative), O_RDONLY | O_NONBLOCK, wanted);
    const stat = await handle.stat({ bigint: true });
    if (stat.isFile())
      return { handle, stat, path: relative, [Symbol.asyncDispose]: () => handle.close() };
    await handle.close();
    throw new ToolError(`${wanted} is ${stat.isDirectory() ? 'a folder' : 'not a regular file'}`);
  }

  /** A folder, to be listed or to open things in it. */
  async openFolder(wanted: string): Promise<OpenedFolder> {
    const relative = await this.#locate(wanted);
    return this.#descend(relative === '' ? [] : relative.split('/'), wanted, false);
  }

  /** Replaces or creates the file, with the folders it needs. The old one stays until the new one is whole. */
  async write(wanted: string, content: string): Promise<Written> {
    const relative = await this.#locateNew(wanted);
    const parts = relative.split('/');
    const name = parts.pop() ?? '';
    if (name === '') throw new ToolError('the worktree itself is a folder');
    if (relative.split('/').includes('.git'))
      throw new ToolError(`${wanted}: .git is not yours to write`);
    await using folder = await this.#descend(parts, wanted, true);
    const target = `${folder.location}/${name}`;
    const old = await lstat(target).catch(() => null);
    if (old !== null && !old.isFile()) throw new ToolError(`${wanted} is not a regular file`);
    const stat = await replaceFile(target, content, old?.mode ?? null).catch((error: unknown) => {
      throw describe(error, wanted);
    });
    return { path: relative, isNew: old === null, stat };
  }

  /** Where it really is, from the worktree; throws when that is outside or nothing is there. */
  async #locate(wanted: string): Promise<string> {
    const target = this.#lexical(wanted);
    const real = await realpath(target).catch((error: unknown) => {
      throw describe(error, wanted);
    });
    return this.#inside(real, wanted);
  }

  /** The same for something that need not exist yet: its nearest existing folder decides. */
  async #locateNew(wanted: string): Promise<string> {
    const target = this.#lexical(wanted);
    const missing: string[] = [];
    let existing = target;
    while ((await lstat(existing).catch(() => null)) === null && existing !== this.root) {
      missing.unshift(path.basename(existing));
      existing = path.dirname(existing);
    }
    const real = await realpath(existing).catch(() => {
      throw new ToolError(`${wanted} is a link that leads nowhere`);
    });
    return [this.#inside(real, wanted), ...missing].filter((part) => part !== '').join('/');
  }

  #lexical(wanted: string): string {
    if (wanted.includes('\0')) throw new ToolError('a path cannot contain a NUL character');
    const target = path.resolve(this.root, wanted);
    this.#inside(target, wanted);
    return target;
  }

  #inside(target: string, wanted: string): string {
    if (target === this.root) return '';
    const prefix = this.root.endsWith('/') ? this.root : `${this.root}/`;
    if (!target.startsWith(prefix)) throw outside(wanted);
    return target.slice(prefix.length);
  }

  async #descend(parts: readonly string[], wanted: string, create: boolean): Promise<OpenedFolder> {
    let folder = folderOf(await open(this.root, O_RDONLY | O_DIRECTORY), this.root, '');
    for (const part of parts) {
      await using parent = folder;
      if (create) await makeFolder(`${parent.location}/${part}`);
      const handle = await openPart(parent, part, O_RDONLY | O_DIRECTORY, wanted);
      const relative = parent.path === '' ? part : `${parent.path}/${part}`;
      folder = folderOf(handle, path.join(this.root, relative), relative);
    }
    return folder;
  }
}

/** A file in a folder that was listed; null when it is gone, a link, no regular file, or larger than `maxBytes`. */
export async function openListed(
  folder: OpenedFolder,
  name: string,
  maxBytes: number,
): Promise<FileHandle | null> {
  try {
    const handle = await open(`${folder.location}/${name}`, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
    const stat = await handle.stat();
    if (stat.isFile() && stat.size <= maxBytes) return handle;
    await handle.close();
    return null;
  } catch {
    // It was there a moment ago, or may not be read: there is nothing to search.
    return null;
  }
}

/** A folder in a folder; null when it is gone or a link. */
export async function openListedFolder(
  folder: OpenedFolder,
  name: string,
): Promise<OpenedFolder | null> {
  try {
    const flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
    const handle = await open(`${folder.location}/${name}`, flags);
    const relative = folder.path === '' ? name : `${folder.path}/${name}`;
    return folderOf(handle, `${folder.location}/${name}`, relative);
  } catch {
    // As above.
    return null;
  }
}

function folderOf(handle: FileHandle, absolute: string, relative: string): OpenedFolder {
  return {
    path: relative,
    location: hasHandlePaths ? `/proc/self/fd/${handle.fd}` : absolute,
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

async function openPart(
  folder: OpenedFolder,
  name: string,
  flags: number,
  wanted: string,
): Promise<FileHandle> {
  const target = `${folder.location}/${name}`;
  try {
    const handle = await open(target, flags | O_NOFOLLOW);
    if (hasHandlePaths || (await realpath(target)) === target) return handle;
    await handle.close();
  } catch (error) {
    throw describe(error, wanted);
  }
  throw outside(wanted);
}

async function makeFolder(location: string): Promise<void> {
  await mkdir(location).catch((error: unknown) => {
    if (isNodeError(error) && error.code === 'EEXIST') return;
    throw describe(error, path.basename(location));
  });
}

async function replaceFile(
  target: string,
  content: string,
  mode: number | null,
): Promise<BigIntStats> {
  const fresh = path.join(path.dirname(target), '.loopwright-new');
  // Left behind by a run that was killed on this very line.
  await unlink(fresh).catch(() => undefined);
  await using handle = await open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666);
  try {
    await handle.writeFile(content);
    if (mode !== null) await handle.chmod(mode & 0o777);
    const stat = await handle.stat({ bigint: true });
    await rename(fresh, target);
    return stat;
  } catch (error) {
    await unlink(fresh).catch(() => undefined);
    throw error;
  }
}

function outside(wanted: string): ToolError {
  return new ToolError(`${wanted} leads out of the worktree, which is all you can use`);
}

function describe(error: unknown, wanted: string): Error {
  if (!isNodeError(error)) return error instanceof Error ? error : new Error(String(error));
  switch (error.code) {
    case 'ENOENT':
      return new ToolError(`${wanted} does not exist`);
    case 'ENOTDIR':
      return new ToolError(`${wanted}: something on its way is not a folder`);
    case 'ELOOP':
      return outside(wanted);
    case 'EACCES':
    case 'EPERM':
      return new ToolError(`${wanted} may not be opened`);
    case 'ENAMETOOLONG':
      return new ToolError('the path is too long');
    default:
      return new ToolError(`${wanted} cannot be opened (${error.code})`);
  }
}
