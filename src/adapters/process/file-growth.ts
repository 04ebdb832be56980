import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { matchesGlob } from '../../core/text/glob.ts';

const maxFiles = 1000;

/**
 * A text that changes when a file that matches one of the patterns appears, grows or is written. Patterns are absolute
 * paths; `*` stands for part of a name. Looks at a bounded number of files; what cannot be read does not count.
 */
export async function fileGrowth(patterns: readonly string[]): Promise<string> {
  const states: string[] = [];
  for (const pattern of patterns) {
    for (const file of await expandPattern(pattern)) {
      const state = await stat(file).catch(() => null);
      if (state !== null) states.push(`${file} ${state.size} ${state.mtimeMs}`);
    }
  }
  return states.join('\n');
}

/** The files that match such a pattern. */
export async function expandPattern(pattern: string): Promise<readonly string[]> {
  let found = ['/'];
  for (const part of pattern.split('/').filter((name) => name !== '')) {
    if (!part.includes('*')) {
      found = found.map((folder) => path.join(folder, part));
      continue;
    }
    const lists = await Promise.all(found.map((folder) => namesIn(folder, part)));
    found = lists.flat().slice(0, maxFiles);
  }
  return found;
}

async function namesIn(folder: string, part: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => matchesGlob(name, part)).map((name) => path.join(folder, name));
}
