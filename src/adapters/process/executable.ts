import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import type { ProcessSpec } from '../../ports/process.ts';
import type { NotStarted } from './keeper.ts';
import { pathFolders } from './path-folders.ts';

const defaultPath = '/usr/local/bin:/usr/bin:/bin';

type Started = Pick<ProcessSpec, 'argv' | 'cwd' | 'env'>;

/** Why the program of a spec cannot be started, in words; null when nothing speaks against it. */
export function findObstacle(spec: Started): NotStarted | null {
  const program = spec.argv[0];
  if (!isFolder(spec.cwd)) {
    return {
      code: 'ENOENT',
      error: `Cannot start \`${program}\`: the working folder ${spec.cwd} does not exist.`,
    };
  }
  let denied: string | null = null;
  for (const file of candidates(spec)) {
    const found = inspect(file);
    if (found === 'executable') return null;
    if (found === 'denied') denied ??= file;
  }
  if (denied !== null) {
    return {
      code: 'EACCES',
      error: `Cannot start \`${program}\`: ${denied} is not executable (EACCES).`,
    };
  }
  const where = program.includes('/') ? 'there is no such file' : 'command not found in PATH';
  return { code: 'ENOENT', error: `Cannot start \`${program}\`: ${where} (ENOENT).` };
}

function candidates(spec: Started): readonly string[] {
  const program = spec.argv[0];
  if (program === '') return [];
  if (program.includes('/')) return [path.resolve(spec.cwd, program)];
  const folders = pathFolders(spec.env['PATH'] ?? defaultPath);
  return folders.map((folder) => path.resolve(spec.cwd, folder, program));
}

function inspect(file: string): 'executable' | 'denied' | 'absent' {
  try {
    if (!statSync(file).isFile()) return 'denied';
    accessSync(file, constants.X_OK);
    return 'executable';
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EACCES'
      ? 'denied'
      : 'absent';
  }
}

function isFolder(folder: string): boolean {
  try {
    return statSync(folder).isDirectory();
  } catch {
    return false;
  }
}
