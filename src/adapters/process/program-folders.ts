import { readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import type { ProcessSpec } from '../../ports/process.ts';
import { pathFolders } from './path-folders.ts';

const maxLinks = 500;
/** A `PATH` of more folders than this is a mistake; those behind are not looked into. */
const maxFolders = 200;
/** What the distribution installs leads nowhere else. */
const ofTheSystem = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/games'];

/**
 * Folders that programs are started from: those of PATH, where links in them lead, and that of the program itself. People
 * install much of it in their home. Asked for at every start: a folder is looked into again only when it has changed.
 */
export function programFolders({
  argv,
  env,
}: Pick<ProcessSpec, 'argv' | 'env'>): readonly string[] {
  const folders = pathFolders(env['PATH'] ?? '').filter((folder) => path.isAbsolute(folder));
  const there = folders.filter(isFolder).slice(0, maxFolders);
  const own = path.isAbsolute(argv[0]) ? [path.dirname(argv[0])] : [];
  const others = there.filter((folder) => !ofTheSystem.includes(folder));
  const targets = others.flatMap((folder) => linksIn(folder).map(packageOf));
  return [...new Set([...there, ...own, ...targets])];
}

function isFolder(folder: string): boolean {
  return changedAt(folder) !== null;
}

/** Null when it is not a folder, or not to be seen. */
function changedAt(folder: string): number | null {
  try {
    const stats = statSync(folder, { throwIfNoEntry: false });
    return stats?.isDirectory() === true ? stats.mtimeMs : null;
  } catch {
    return null;
  }
}

const known = new Map<
  string,
  { readonly changedAt: number; readonly targets: readonly string[] }
>();

/** The real files that links of a folder lead to, outside of it. */
function linksIn(folder: string): readonly string[] {
  const now = changedAt(folder) ?? 0;
  const last = known.get(folder);
  if (last?.changedAt === now) return last.targets;
  const targets = readLinks(folder);
  if (known.size > maxFolders) known.clear();
  known.set(folder, { changedAt: now, targets });
  return targets;
}

function readLinks(folder: string): readonly string[] {
  try {
    const links = readdirSync(folder, { withFileTypes: true }).filter((entry) =>
      entry.isSymbolicLink(),
    );
    return links.slice(0, maxLinks).flatMap(({ name }) => targetOf(path.join(folder, name)));
  } catch {
    // PATH may name folders that are not to be read.
    return [];
  }
}

function targetOf(link: string): readonly string[] {
  try {
    if (!readlinkSync(link).includes('/')) return [];
    return [realpathSync(link)];
  } catch {
    // Leads nowhere.
    return [];
  }
}

/** What has to be there for it to run: all modules beside a module, the environment around a `bin`, else its folder. */
function packageOf(file: string): string {
  const modules = file.indexOf('/node_modules/');
  if (modules !== -1) return file.slice(0, modules + '/node_modules'.length);
  const folder = path.dirname(file);
  const parent = path.dirname(folder);
  const isEnvironment = path.basename(folder) === 'bin' && parent.split('/').length > 4;
  return isEnvironment ? parent : folder;
}
