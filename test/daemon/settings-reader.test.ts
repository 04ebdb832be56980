import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openProjectAt } from '../../src/daemon/compose.ts';
import { gitRepo } from '../support/git-repo.ts';

test('settings are read again when a file has changed since the project was opened, or for other flags', async () => {
  await using repo = await gitRepo();
  const file = path.join(repo.path, 'loopwright.yml');
  await writeFile(file, 'limits:\n  max-iterations: 3\n');
  await using opened = await openProjectAt({
    cwd: repo.path,
    env: { PATH: process.env['PATH'] },
    home: '/nonexistent',
    version: '0.0.0',
    flags: { agent: 'command:true' },
  });
  const settings = (flags: object) => opened.engine.reloadSettings('ralph', { ...flags });
  const same = await settings({ agent: 'command:true' });
  expect(same.limits['max-iterations']).toBe(3);
  expect(same.agent).toBe('command:true');
  expect((await settings({ agent: 'command:false' })).agent).toBe('command:false');

  await writeFile(file, 'limits:\n  max-iterations: 45\n');
  expect((await settings({ agent: 'command:true' })).limits['max-iterations']).toBe(45);
  await rm(file);
  const without = await settings({ agent: 'command:true' });
  expect(without.limits['max-iterations']).not.toBe(45);
});
