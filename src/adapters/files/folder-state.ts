import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { privateFile, privateFolder } from './private-state.ts';

/** The engine's folder inside a project. */
export const stateFolderName = '.loopwright';

/** Keeps the state folder out of the user's `git status` without touching their `.gitignore`. Only if `inside` lies in it. */
export function hideStateFolder(root: string, inside: string): void {
  const folder = path.join(root, stateFolderName);
  if (inside !== folder && !inside.startsWith(`${folder}/`)) return;
  const file = path.join(folder, '.gitignore');
  if (existsSync(file)) return;
  // Not the folders above: a project that is gone was moved, and its old path stays gone.
  unlessThere(() => mkdirSync(folder, { mode: privateFolder }));
  unlessThere(() => writeFileSync(file, '*\n', { flag: 'wx', mode: privateFile }));
}

function unlessThere(make: () => void): void {
  try {
    make();
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'EEXIST') throw error;
  }
}
