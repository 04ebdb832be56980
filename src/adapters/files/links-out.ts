import { lstatSync } from 'node:fs';
import { readlink, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { LinkOut } from '../../ports/workspace.ts';
import { escapedName } from '../../core/text/file-name.ts';
import { filePath } from '../git/path-bytes.ts';

/** More are not looked at one by one. */
const mostPaths = 2000;

/** Those of these paths, relative to a folder, that are links out of it. */
export async function listLinksOut(
  root: string,
  paths: readonly string[],
): Promise<readonly LinkOut[]> {
  const found: LinkOut[] = [];
  for (const name of paths.slice(0, mostPaths)) {
    const file = filePath(root, name);
    if (!isLink(file)) continue;
    const target = await readlink(file).catch(() => '');
    // Links inside can lead to others that lead out.
    const end = await realpath(file).catch(() => null);
    const leads = end ?? path.resolve(path.dirname(path.join(root, name)), target);
    if (!isInside(root, leads))
      found.push({ path: escapedName(name), target: escapedName(target.slice(0, 200)) });
  }
  return found;
}

/** At once: an iteration changes few files, and handing each to another thread takes longer. */
function isLink(file: string | Buffer): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  } catch {
    // Below something that is no folder any more.
    return false;
  }
}

function isInside(root: string, file: string): boolean {
  return file === root || file.startsWith(`${root}${path.sep}`);
}
