import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Loop } from '../core/loop/loop.ts';
import { judgingPrograms, shadowable } from '../core/verdict/check-command.ts';
import type { Engine } from './engine.ts';
import { judgingCommands } from './find-judge.ts';

/** Programs on the path of the checks, outside of the project, that were put there or changed while the agent worked. */
export async function changedPrograms(
  engine: Engine,
  loop: Loop,
  isTime: (ms: number) => boolean,
): Promise<readonly string[]> {
  const folders = (engine.env['PATH'] ?? '')
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder));
  const names = new Set([...judgingPrograms(judgingCommands(loop.settings)), ...shadowable]);
  const found: string[] = [];
  for (const folder of new Set(folders)) {
    for (const name of names) {
      const file = path.join(folder, name);
      const program = await stat(file).catch(() => null);
      if (program === null || !program.isFile() || !isTime(program.ctimeMs)) continue;
      found.push(`the program ${file} was made or changed since the loop began`);
    }
  }
  return found;
}
