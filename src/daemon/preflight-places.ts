import path from 'node:path';
import { findObstacle } from '../adapters/process/executable.ts';
import { pathFolders } from '../adapters/process/path-folders.ts';
import type { NeededProgram } from '../core/preflight/needed-programs.ts';
import type { Engine } from '../engine/engine.ts';
import { startingCommit } from '../engine/find-judge.ts';
import type { PreflightWish } from './preflight.ts';

export type Missing = {
  readonly name: string;
  /** In words. */
  readonly where: string;
  readonly folders: readonly string[];
  readonly isInCheckout: boolean;
};

export async function firstMissing(
  needed: readonly NeededProgram[],
  env: Readonly<Record<string, string>>,
  places: Places,
): Promise<Missing | null> {
  for (const { name, folder } of needed) {
    if (!name.includes('/')) {
      const folders = pathFolders(env['PATH'] ?? '');
      // What is in a folder of the worktree is only known there.
      const isCertain = folders.every((each) => path.isAbsolute(each));
      if (!isCertain || !isAbsent(name, env)) continue;
      const shown = folders.length > 8 ? [...folders.slice(0, 8), '…'] : folders;
      return { name, where: `on PATH (${shown.join(', ')})`, folders, isInCheckout: false };
    }
    if (path.isAbsolute(name)) {
      if (isAbsent(name, env)) return { name, where: 'there', folders: [], isInCheckout: false };
      continue;
    }
    if (folder === null) continue;
    const file = path.posix.normalize(path.posix.join(folder, name));
    const missing = await places.missing(file);
    if (missing !== null) return { name, folders: [], ...missing };
  }
  return null;
}

/** Only what is not there at all: whoever may not start a program is told by the system. */
function isAbsent(name: string, env: Readonly<Record<string, string>>): boolean {
  return findObstacle({ argv: [name], cwd: '/', env })?.code === 'ENOENT';
}

/** Where a file of a fresh worktree can come from. */
export type Places = {
  /** Null when it is there, or may be. */
  missing(file: string): Promise<Pick<Missing, 'where' | 'isInCheckout'> | null>;
};

export function createPlaces(
  { project }: Pick<Engine, 'project'>,
  { settings, inPlace }: Pick<PreflightWish, 'settings' | 'inPlace'>,
): Places {
  const isThere = (file: string): boolean => !isAbsent(path.join(project.root, file), {});
  const { copy, link, setup } = settings.workspace;
  return {
    async missing(file) {
      if (file.startsWith('..')) return null;
      const isInCheckout = isThere(file);
      if (inPlace || project.kind === 'folder') {
        return isInCheckout ? null : { where: `in ${project.root}`, isInCheckout };
      }
      if (setup !== null) return null;
      const isBrought = [...copy, ...link].some((entry) => {
        const top = path.posix.normalize(entry).replace(/\/$/, '');
        return file === top || file.startsWith(`${top}/`);
      });
      if (isBrought && isInCheckout) return null;
      const signal = AbortSignal.timeout(60_000);
      const base = await startingCommit({ project }, settings, signal);
      if (base === null) return null;
      const files = new Set(await project.listAt(base, signal));
      // Below a link or a submodule anything may be.
      const parts = file.split('/');
      const above = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
      if (above.some((each) => files.has(each))) return null;
      return { where: `in the commit that loops start from (${base.slice(0, 8)})`, isInCheckout };
    },
  };
}
