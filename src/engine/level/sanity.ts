import { lstat } from 'node:fs/promises';
import path from 'node:path';
import type { Loop } from '../../core/loop/loop.ts';
import { writtenPaths } from '../../core/verdict/contracts.ts';
import type { Check } from '../../core/verdict/report.ts';
import { addedLines, judgeSanity, type WrittenFile } from '../../core/verdict/sanity.ts';
import type { Engine } from '../engine.ts';
import type { JudgedFiles } from '../judged-files.ts';

const patchBytes = 8 * 1024 * 1024;

/** L3: what the loop added that is most likely not meant to stay. */
export async function judgeLeftovers(
  engine: Engine,
  loop: Loop,
  { work, cwd, dir }: JudgedFiles,
  signal: AbortSignal,
): Promise<readonly Check[]> {
  if (work === null) return [];
  const written = writtenPaths(await work.changes(work.from, work.to));
  if (written.length === 0) return [];
  const files: WrittenFile[] = [];
  for (const file of written) {
    const found = await lstat(path.join(cwd, file)).catch(() => null);
    if (found?.isFile() === true) files.push({ path: file, bytes: found.size });
  }
  const patch = path.join(dir, 'whole.patch');
  await engine.project.writePatch(work.from, work.to, `${patch}.partial`, signal);
  await engine.artifacts.moveClean(`${patch}.partial`, patch);
  const text = (await engine.artifacts.readTail(patch, patchBytes)) ?? '';
  return judgeSanity(loop.settings.verify.sanity, files, addedLines(text));
}
