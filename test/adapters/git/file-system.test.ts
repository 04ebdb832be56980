import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { fileSystemSettings } from '../../../src/adapters/git/file-system.ts';
import { tempDir } from '../../support/temp-dir.ts';

it('leaves nothing behind, also of processes that were killed while they tried', async () => {
  await using dir = await tempDir();
  const left = ['.probe-abc', '.probe-999999999-abc'];
  for (const name of [...left, `.probe-${process.pid}-abc`, 'loop-1']) {
    await mkdir(path.join(dir.path, name, 'link'), { recursive: true });
  }
  expect(fileSystemSettings(dir.path)).toHaveLength(3);
  expect(await readdir(dir.path)).toEqual([`.probe-${process.pid}-abc`, 'loop-1']);
});
