import { lstatSync, realpathSync } from 'node:fs';
import path from 'node:path';

/**
 * The absolute path of a file inside `folder`. Throws for a path that leads out of it, be it by `..`, as an absolute
 * path, or through a symbolic link.
 */
export function pathInside(folder: string, relative: string): string {
  const root = realpathSync(folder);
  const target = path.resolve(root, relative);
  if (target === root || !isBelow(root, target)) throw refusal(relative);
  const existing = nearestExisting(target);
  let real: string;
  try {
    real = realpathSync(existing);
  } catch {
    // A link that leads nowhere: writing to it would create a file we cannot place.
    throw refusal(relative);
  }
  if (real !== root && !isBelow(root, real)) throw refusal(relative);
  return target;
}

function nearestExisting(target: string): string {
  let candidate = target;
  while (lstatSync(candidate, { throwIfNoEntry: false }) === undefined) {
    candidate = path.dirname(candidate);
  }
  return candidate;
}

function isBelow(root: string, target: string): boolean {
  return target.startsWith(root.endsWith('/') ? root : `${root}/`);
}

function refusal(relative: string): Error {
  return new Error(`the path ${relative} leads out of the working folder`);
}
