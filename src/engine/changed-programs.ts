import { constants, type Stats } from 'node:fs';
import { access, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Loop } from '../core/loop/loop.ts';
import { judgingPrograms, shadowable } from '../core/verdict/check-command.ts';
import type { Engine } from './engine.ts';
import { judgingCommands } from './find-judge.ts';

/**
 * Programs on the path of the checks, outside of the project, that were put there or changed while the agent worked: those that a
 * check names, those that stand in front of another one, and those that were there before. One that was merely added is none.
 */
export async function changedPrograms(
  engine: Engine,
  loop: Loop,
  isTime: (ms: number) => boolean,
): Promise<readonly string[]> {
  const folders = (engine.env['PATH'] ?? '')
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder));
  const named = new Set([...judgingPrograms(judgingCommands(loop.settings)), ...shadowable]);
  const places = [...new Set(folders)];
  const found: string[] = [];
  for (const [index, folder] of places.entries()) {
    for (const name of await readdir(folder).catch(() => [])) {
      const file = path.join(folder, name);
      const program = await stat(file).catch(() => null);
      if (program === null || !program.isFile() || !isTime(program.ctimeMs)) continue;
      const counts =
        named.has(name) || wasThere(program, isTime) || (await isIn(places.slice(index + 1), name));
      if (counts) found.push(`the program ${file} was made or changed since the loop began`);
    }
  }
  return found;
}

/** Written over: the file itself is older. */
function wasThere({ birthtimeMs }: Stats, isTime: (ms: number) => boolean): boolean {
  return birthtimeMs > 0 && !isTime(birthtimeMs);
}

async function isIn(folders: readonly string[], name: string): Promise<boolean> {
  for (const folder of folders) {
    const isThere = await access(path.join(folder, name), constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return true;
  }
  return false;
}
