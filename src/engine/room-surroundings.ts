import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { classify } from '../core/judge/classify.ts';
import type { Loop } from '../core/loop/loop.ts';
import type { Engine } from './engine.ts';
import { changedPrograms } from './changed-programs.ts';

/**
 * What runners look for in the folders above the one they are started in, besides files whose name tells. Not `.cargo` as a
 * whole: in a home, cargo itself keeps what it downloads there.
 */
const climbed: readonly string[] = [
  'node_modules',
  '.cargo/config',
  '.cargo/config.toml',
  '.mvn/extensions.xml',
  '.mvn/jvm.config',
  '.mvn/maven.config',
];

/**
 * What stands around clean checkouts and was put there or changed since the loop began, a sentence each: configuration of
 * runners in the folders above them, and programs that the checks start. The time is that of the inode, which no program sets.
 */
export async function newAround(engine: Engine, loop: Loop): Promise<readonly string[]> {
  const found: string[] = [];
  for (let folder = engine.roomsDir; ; folder = path.dirname(folder)) {
    const configs = (await readdir(folder).catch(() => [])).filter(isConfig);
    for (const name of [...climbed, ...configs]) {
      if (!(await isNewer(path.join(folder, name), loop.createdAt))) continue;
      const file = path.join(folder, name);
      found.push(`${file} was made or changed since the loop began, and runners look for it there`);
    }
    if (folder === path.dirname(folder)) break;
  }
  return [...found, ...(await changedPrograms(engine, loop))];
}

function isConfig(name: string): boolean {
  const kind = classify(name)?.kind;
  return kind === 'config' || kind === 'manifest';
}

async function isNewer(file: string, since: number): Promise<boolean> {
  const found = await lstat(file).catch(() => null);
  return found !== null && found.ctimeMs > since;
}
