import { mkdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { LoopwrightError } from '../../core/error.ts';

/** `.loopwright` of a project, made if need be, ignored by git through its own `.gitignore`. */
export async function openStateDir(projectRoot: string): Promise<string> {
  const folder = path.join(projectRoot, '.loopwright');
  const ignore = path.join(folder, '.gitignore');
  try {
    if (await exists(ignore)) return folder;
    await mkdir(folder, { recursive: true });
    await writeFile(ignore, '*\n');
    return folder;
  } catch (cause) {
    throw new LoopwrightError('state.unwritable', `cannot write to ${folder}`, {
      cause,
      hint: 'make the folder writable, or run in a folder of your own',
    });
  }
}

function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
