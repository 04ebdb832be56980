import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createDriverOverrides } from '../../../src/adapters/git/environment.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { signal } from './loop-harness.ts';

test('a program named in the configuration is overridden however fast and alike the file is rewritten', async () => {
  await using dir = await tempDir();
  const gitDir = path.join(dir.path, '.git');
  for (const folder of ['objects', 'refs'])
    await mkdir(path.join(gitDir, folder), { recursive: true });
  await writeFile(path.join(gitDir, 'HEAD'), 'ref: refs/heads/main\n');
  const at = { gitDir, commonDir: gitDir, workTree: dir.path };
  const overridesOf = createDriverOverrides({ PATH: process.env['PATH'] ?? '' });
  const config = path.join(gitDir, 'config');
  for (let turn = 0; turn < 5; turn++) {
    await writeFile(config, '[colour "evil"]\n\tclean = rm -rf /\n');
    expect(await overridesOf(at, signal)).toEqual([]);
    await writeFile(config, '[filter "evil"]\n\tclean = rm -rf /\n');
    const names = (await overridesOf(at, signal)).map(([name]) => name);
    expect(names).toContain('filter.evil.clean');
  }
});
