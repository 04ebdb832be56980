import { lstat, readFile } from 'node:fs/promises';
import path from 'node:path';
import { isCompiledPython } from '../core/env/toolchains.ts';
import type { Loop } from '../core/loop/loop.ts';
import { findChanged, newPaths } from './changed-files.ts';
import type { Engine } from './engine.ts';
import { dependencyFolders } from './room.ts';

const shown = 5;

export type ChangedDependencies = {
  /** A sentence each. */
  readonly findings: readonly string[];
  /** Caches in them, relative to the project, that were filled meanwhile. */
  readonly caches: readonly string[];
};

/**
 * What is brought into clean checkouts from the user's and was changed there while the agent worked. Caches that tools keep inside
 * of installed packages, and results of builds, are no finding: they are left out.
 */
export async function changedDependencies(
  { project: { root } }: Engine,
  loop: Loop,
  isTime: (ms: number) => boolean,
): Promise<ChangedDependencies> {
  const { copy, link } = loop.settings.workspace;
  const findings: string[] = [];
  const caches: string[] = [];
  for (const name of new Set([...copy, ...(await dependencyFolders(root, link))])) {
    const folder = path.join(root, name);
    const change = await findChanged(folder, {
      isTime,
      passOver: (entry) => (isCompiledPython(entry) ? 'absent' : null),
      isShared: await sharesFiles(folder),
    });
    const changed = newPaths(change).map((file) => (file === '' ? name : `${name}/${file}`));
    if (link.includes(name) && !isInstalled(name)) {
      caches.push(...changed);
      continue;
    }
    caches.push(...new Set(changed.flatMap((file) => cacheOf(file) ?? [])));
    const rest = changed.filter((file) => cacheOf(file) === null);
    findings.push(
      ...rest
        .slice(0, shown)
        .map((file) => `${file} in your checkout was made or changed since the loop began`),
    );
    if (rest.length > shown)
      findings.push(
        `${rest.length - shown} more files in ${name} of your checkout were made or changed since the loop began`,
      );
  }
  return { findings, caches };
}

const installed =
  /^(?:node_modules|bower_components|\.?venv|\.?env|virtualenv|vendor|deps|Pods|\.bundle|\.yarn|elm-stuff|packages)$/;

/** Package managers fill it. What else is linked are results of builds, which are made again where they are missing. */
function isInstalled(folder: string): boolean {
  return installed.test(path.basename(folder));
}

/** Hidden folders in `node_modules` are the caches of tools, but for programs and the packages of pnpm. */
function cacheOf(file: string): string | null {
  const found = /^(?:.{0,2000}\/)?node_modules\/(\.[^/]{1,255})(?=\/|$)/.exec(file);
  const [cache = '', name = ''] = found ?? [];
  if (found === null || name === '.bin' || name === '.pnpm' || name === '.store') return null;
  return cache;
}

/** pnpm and uv give one file names in many projects; each install changes the inode of all of them. */
async function sharesFiles(folder: string): Promise<boolean> {
  if ((await lstat(path.join(folder, '.modules.yaml')).catch(() => null)) !== null) return true;
  const text = await readFile(path.join(folder, 'pyvenv.cfg'), 'utf8').catch(() => '');
  return /^uv ?=/m.test(text);
}
