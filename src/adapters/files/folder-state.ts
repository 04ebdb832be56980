import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** The engine's folder inside a project. */
export const stateFolderName = '.loopwright';

/** Keeps the state folder out of the user's `git status` without touching their `.gitignore`. Only if `inside` lies in it. */
export async function hideStateFolder(root: string, inside: string): Promise<void> {
  const folder = path.join(root, stateFolderName);
  if (inside !== folder && !inside.startsWith(`${folder}/`)) return;
  await mkdir(folder, { recursive: true });
  try {
    await writeFile(path.join(folder, '.gitignore'), '*\n', { flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'EEXIST') throw error;
  }
}
