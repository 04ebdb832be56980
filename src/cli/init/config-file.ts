import { lstat, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { LoopwrightError } from '../../core/error.ts';
import { configFile } from './render-config.ts';

const names = [configFile, 'loopwright.yaml'];
const maxBackups = 100;

/** Throws `init.exists` when the project has a configuration. */
export async function assertNoConfig(root: string): Promise<void> {
  for (const name of names) {
    if (await exists(path.join(root, name))) throw alreadyThere(path.join(root, name));
  }
}

/** Writes the file. With `force` an existing one is kept under the name that is returned; else that is refused. */
export async function writeConfig(
  root: string,
  text: string,
  force: boolean,
): Promise<string | null> {
  const backup = force ? await keepOld(root) : null;
  const file = path.join(root, configFile);
  try {
    await writeFile(file, text, { flag: 'wx' });
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    if (code === 'EEXIST') throw alreadyThere(file);
    throw new LoopwrightError('init.unwritable', `${file} cannot be written (${code})`, {
      cause,
      hint: 'make the folder writable, or run `loopwright init` in a folder of your own',
    });
  }
  return backup;
}

async function keepOld(root: string): Promise<string | null> {
  for (const name of names) {
    const file = path.join(root, name);
    if (!(await exists(file))) continue;
    const backup = await freeName(file);
    await rename(file, backup);
    return backup;
  }
  return null;
}

async function freeName(file: string): Promise<string> {
  for (let number = 1; number <= maxBackups; number++) {
    const candidate = number === 1 ? `${file}.bak` : `${file}.bak${number}`;
    if (!(await exists(candidate))) return candidate;
  }
  throw new LoopwrightError('init.backups', `there are ${maxBackups} backups of ${file} already`, {
    hint: 'remove some of them',
  });
}

async function exists(file: string): Promise<boolean> {
  return (await lstat(file).catch(() => null)) !== null;
}

function alreadyThere(file: string): LoopwrightError {
  return new LoopwrightError('init.exists', `${file} exists already and was left as it is`, {
    hint: '`loopwright config validate` checks it, `loopwright init --force` replaces it and keeps the old one as .bak',
  });
}
