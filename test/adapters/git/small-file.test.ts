import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readSmallFile } from '../../../src/adapters/git/small-file.ts';
import { tempDir } from '../../support/temp-dir.ts';

test('a file of git’s is read, told absent, or told unclear; a pipe in its place holds nobody up', async () => {
  await using dir = await tempDir();
  const at = (name: string) => path.join(dir.path, name);
  await writeFile(at('HEAD'), 'ref: refs/heads/main\n');
  await mkdir(at('folder'));
  execFileSync('mkfifo', [at('pipe')]);
  expect(readSmallFile(at('HEAD'))).toEqual({ kind: 'text', text: 'ref: refs/heads/main\n' });
  expect(readSmallFile(at('missing'))).toEqual({ kind: 'absent' });
  expect(readSmallFile(at('folder'))).toEqual({ kind: 'unclear' });
  // Nobody writes into it.
  expect(readSmallFile(at('pipe'))).toEqual({ kind: 'text', text: '' });
});
