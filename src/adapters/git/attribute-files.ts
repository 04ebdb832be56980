import { existsSync } from 'node:fs';
import path from 'node:path';
import { readSmallFile } from '../files/small-file.ts';
import type { Checkout } from './git.ts';
import { filePath } from './path-bytes.ts';

const mostBytes = 1024 * 1024;

/** Of the repository itself: in no commit, so a clone does not have it. */
export function ownAttributes(at: Checkout): string {
  return path.join(at.commonDir, 'info/attributes');
}

/** Whether attributes of these files may use one of the words. They are in the folders above a file, or in the repository. */
export function attributesMention(
  at: Checkout,
  names: readonly string[],
  words: readonly string[],
): boolean {
  const folders = new Set(['.']);
  for (const name of names) {
    for (let folder = path.dirname(name); !folders.has(folder); folder = path.dirname(folder)) {
      folders.add(folder);
    }
  }
  const workTree = at.workTree ?? '';
  const files = [...folders].map((folder) => filePath(workTree, `${folder}/.gitattributes`));
  return [ownAttributes(at), ...files].some((file) => {
    try {
      if (!existsSync(file)) return false;
      const text = readSmallFile(file, mostBytes)?.toString('latin1');
      return text === undefined || words.some((word) => text.includes(word));
    } catch {
      // What cannot be read may say anything.
      return true;
    }
  });
}
