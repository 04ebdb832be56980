import { lstatSync } from 'node:fs';
import { readlink, realpath, rm } from 'node:fs/promises';
import path from 'node:path';

/** What the machine has by itself; an agent does not write there. */
const ofTheSystem = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc', '/opt', '/dev', '/proc'];

/**
 * Removes those of the paths that are links out of a folder. Nobody else who checks the commit out has what is behind them, and
 * whoever made the link may have written that too.
 */
export async function cutLinksOut(folder: string, paths: readonly string[]): Promise<void> {
  const own = [folder, await realpath(folder)];
  for (const name of paths) {
    const file = path.join(folder, name);
    if (!isLink(file)) continue;
    const target = path.resolve(path.dirname(file), await readlink(file));
    const end = (await realpath(file).catch(() => null)) ?? target;
    if ([...own, ...ofTheSystem].some((outer) => isWithin(end, outer))) continue;
    await rm(file);
  }
}

function isLink(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  } catch {
    // Below something that is no folder in this checkout.
    return false;
  }
}

function isWithin(file: string, outer: string): boolean {
  return file === outer || file.startsWith(`${outer}${path.sep}`);
}
