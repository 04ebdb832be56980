import { readdirSync, readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { ProcessSpec } from '../../ports/process.ts';

const maxLinks = 500;
/** What the distribution installs leads nowhere else. */
const ofTheSystem = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/games'];

/**
 * Folders that programs are started from: those of PATH, where links in them lead, and that of the program itself. People
 * install much of it in their home.
 */
export function programFolders({
  argv,
  env,
}: Pick<ProcessSpec, 'argv' | 'env'>): readonly string[] {
  const folders = (env['PATH'] ?? '').split(':').filter((folder) => path.isAbsolute(folder));
  const own = path.isAbsolute(argv[0]) ? [path.dirname(argv[0])] : [];
  const others = folders.filter((folder) => !ofTheSystem.includes(path.normalize(folder)));
  const targets = others.flatMap((folder) => linksIn(folder).map(packageOf));
  return [...new Set([...folders, ...own, ...targets])];
}

/** The real files that links of a folder lead to, outside of it. */
function linksIn(folder: string): readonly string[] {
  try {
    const links = readdirSync(folder, { withFileTypes: true }).filter((entry) =>
      entry.isSymbolicLink(),
    );
    return links.slice(0, maxLinks).flatMap(({ name }) => targetOf(path.join(folder, name)));
  } catch {
    // PATH may name folders that are not there.
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
