import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openPlainFile, readSmallFile, smallText } from '../../../src/adapters/files/small-file.ts';
import { tempDir } from '../../support/temp-dir.ts';

test('a small file is read at once; a large one, a folder or a pipe in its place holds nobody up', async () => {
  await using dir = await tempDir();
  const at = (name: string) => path.join(dir.path, name);
  await writeFile(at('HEAD'), 'ref: refs/heads/main\n');
  await writeFile(at('large'), Buffer.alloc(70_000));
  await mkdir(at('folder'));
  execFileSync('mkfifo', [at('pipe')]);
  expect(readSmallFile(at('HEAD'))?.toString()).toBe('ref: refs/heads/main\n');
  for (const name of ['large', 'folder', 'pipe']) expect(readSmallFile(at(name))).toBeNull();
  expect(readSmallFile(at('large'), 100_000)).toHaveLength(70_000);
  for (const name of ['folder', 'pipe']) expect(openPlainFile(at(name))).toBeNull();
  expect(() => readSmallFile(at('missing'))).toThrow('ENOENT');
  expect(smallText(at('missing'))).toBeNull();
});
