import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** The engine's folder inside a project. */
export const stateFolderName = '.loopwright';

/** Keeps the state folder out of the user's `git status` without touching their `.gitignore`. Only if `inside` lies in it. */
export function hideStateFolder(root: string, inside: string): void {
  const folder = path.join(root, stateFolderName);
  if (inside !== folder && !inside.startsWith(`${folder}/`)) return;
  const file = path.join(folder, '.gitignore');
  if (existsSync(file)) return;
  mkdirSync(folder, { recursive: true });
  try {
    writeFileSync(file, '*\n', { flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'EEXIST') throw error;
  }
}
