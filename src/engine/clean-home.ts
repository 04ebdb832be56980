import { lstat, mkdir, realpath, symlink } from 'node:fs/promises';
import path from 'node:path';
import { findChanged, type Change } from './changed-files.ts';
import {
  holdsPackages,
  isCompiledPython,
  isHarmless,
  isLoadedFirst,
  toolchainFolders,
} from '../core/env/toolchains.ts';

export type ToolchainFolder = {
  /** Relative to the home. */
  readonly name: string;
  /** Where it is; links are followed. */
  readonly source: string;
  readonly change: Change;
};

/** Toolchains and packages of a home, and what was made or changed in them at such times. */
export async function lookAtToolchains(
  home: string | null,
  isTime: (ms: number) => boolean,
): Promise<readonly ToolchainFolder[]> {
  if (home === null || !path.isAbsolute(home)) return [];
  const found: ToolchainFolder[] = [];
  for (const name of toolchainFolders) {
    const source = await realpath(path.join(home, name)).catch(() => null);
    if (source === null) continue;
    const relative = (folder: string): string => name + folder.slice(source.length);
    const change = isHarmless(name)
      ? unchanged
      : await findChanged(source, {
          isTime,
          isOpen: holdsPackages,
          passOver: (entry, folder) => {
            if (isCompiledPython(entry)) return 'absent';
            return isHarmless(`${relative(folder)}/${entry}`) ? 'same' : null;
          },
        });
    found.push({ name, source, change });
  }
  return found;
}

const unchanged: Change = { kind: 'same' };

export type CleanHome = {
  readonly toolchains: readonly ToolchainFolder[];
  /** The loop changed dependencies: packages that were installed for it are there. */
  readonly withNew: boolean;
};

/**
 * Links toolchains and packages into an empty home as they were before the agent began: what was made or changed since is left
 * out, and a folder that has some of it is made anew with links to the rest. Answers what was left out.
 */
export async function furnishHome(
  home: string,
  { toolchains, withNew }: CleanHome,
): Promise<readonly string[]> {
  const absent: string[] = [];
  const place = async (source: string, target: string, change: Change): Promise<void> => {
    if (change.kind === 'same') return symlink(source, target);
    if (change.kind === 'new') {
      if (withNew && isInstalled(source, change.isFolder)) return symlink(source, target);
      absent.push(source);
      return;
    }
    await mkdir(target);
    for (const [name, each] of change.entries) {
      await place(`${source}/${name}`, `${target}/${name}`, each);
    }
  };
  for (const { name, source, change } of toolchains) {
    const target = path.join(home, name);
    if ((await lstat(target).catch(() => null)) !== null) continue;
    await mkdir(path.dirname(target), { recursive: true });
    await place(source, target, change);
  }
  return absent;
}

/** A package as a whole; or one of a single file, beside the others. */
function isInstalled(file: string, isFolder: boolean): boolean {
  if (isFolder) return true;
  const name = path.basename(file);
  return holdsPackages(path.dirname(file)) && !isLoadedFirst(name) && !name.endsWith('.pth');
}
