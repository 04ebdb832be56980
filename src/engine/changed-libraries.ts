import { constants } from 'node:fs';
import { access, readdir, readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import {
  holdsPackages,
  isCompiledPython,
  isLoadedFirst,
  runsCode,
} from '../core/env/toolchains.ts';
import { findChanged, newPaths } from './changed-files.ts';
import type { ToolchainFolder } from './clean-home.ts';
import type { Engine } from './engine.ts';

const shown = 10;
const maxBytes = 1024 * 1024;

/**
 * What programs on the path load from beside themselves, wherever the home is, and what was changed in it while the agent worked.
 * A package that was added is no finding, unless programs load it by themselves.
 */
export async function changedLibraries(
  engine: Engine,
  toolchains: readonly ToolchainFolder[],
  isTime: (ms: number) => boolean,
): Promise<readonly string[]> {
  const folders = await programFolders(engine.env['PATH'] ?? '');
  const isReached = ({ source }: ToolchainFolder): boolean =>
    folders.some((folder) => folder === source || folder.startsWith(`${source}/`));
  const changed = toolchains
    .filter(isReached)
    .flatMap(({ source, change }) => newPaths(change).map((file) => path.join(source, file)));
  const known = toolchains.map(({ source }) => source);
  for (const library of await libraries(folders)) {
    if (known.some((source) => library.startsWith(`${source}/`))) continue;
    const change = await findChanged(library, {
      isTime,
      isOpen: holdsPackages,
      passOver: (entry) => (isCompiledPython(entry) ? 'absent' : null),
    });
    changed.push(...newPaths(change).map((file) => path.join(library, file)));
  }
  const found: string[] = [];
  for (const file of changed) {
    if (await isOfConsequence(file, new Set(changed))) found.push(file);
  }
  const sentences = found
    .slice(0, shown)
    .map((file) => `${file} was made or changed since the loop began, and programs load it`);
  const more = found.length - shown;
  return more > 0
    ? [...sentences, `and ${more} more files that were made or changed since the loop began`]
    : sentences;
}

async function programFolders(searchPath: string): Promise<readonly string[]> {
  const named = searchPath.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const real = await Promise.all(named.map((folder) => realpath(folder).catch(() => null)));
  return [...new Set(real.filter((folder) => folder !== null))];
}

const patterns = [/^python\d/, /^node_modules$/, /^ruby$/, /^perl5?$/];

/** Folders of libraries beside folders of programs that somebody without a special right can write. */
async function libraries(folders: readonly string[]): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const folder of folders) {
    for (const beside of ['lib', 'lib64', 'share']) {
      const at = path.join(path.dirname(folder), beside);
      const names = await readdir(at).catch(() => []);
      for (const name of names.filter((each) => patterns.some((pattern) => pattern.test(each)))) {
        const library = await realpath(path.join(at, name)).catch(() => null);
        if (library !== null && (await isWritable(library))) found.add(library);
      }
    }
  }
  return [...found];
}

async function isWritable(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK).then(
    () => true,
    () => false,
  );
}

async function isOfConsequence(file: string, changed: ReadonlySet<string>): Promise<boolean> {
  const folder = path.dirname(file);
  const name = path.basename(file);
  if (!holdsPackages(folder)) return true;
  // Programs are looked at by name, those that a check can start.
  if (/^(?:bin|shims)$/.test(path.basename(folder))) return false;
  if (isLoadedFirst(name)) return true;
  if (name.endsWith('.pth')) return runsCode(await textOf(file));
  if (name.endsWith('.dist-info') || name.endsWith('.egg-info')) {
    return (await textOf(path.join(file, 'entry_points.txt'))).includes('[pytest11]');
  }
  return isClaimed(folder, name, changed);
}

/** Whether a package that was installed before says that this is a part of it: then it was replaced. */
async function isClaimed(
  folder: string,
  name: string,
  changed: ReadonlySet<string>,
): Promise<boolean> {
  const infos = (await readdir(folder).catch(() => [])).filter((each) =>
    each.endsWith('.dist-info'),
  );
  for (const info of infos) {
    const at = path.join(folder, info);
    if (changed.has(at)) continue;
    const record = `\n${await textOf(path.join(at, 'RECORD'))}`;
    if (record.includes(`\n${name}/`) || record.includes(`\n${name},`)) return true;
  }
  return false;
}

async function textOf(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.slice(0, maxBytes);
}
