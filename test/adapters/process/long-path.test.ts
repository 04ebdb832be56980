import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { findInstalledAgents } from '../../../src/adapters/agents/installed-agents.ts';
import { pathFolders } from '../../../src/adapters/process/path-folders.ts';
import { programFolders } from '../../../src/adapters/process/program-folders.ts';
import { tempDir } from '../../support/temp-dir.ts';

test('a folder that PATH names again counts once, whatever way it is written', () => {
  expect(pathFolders('/usr/bin:/usr/bin/:/usr//bin:/bin:.::/usr/./bin:/')).toEqual([
    '/usr/bin',
    '/bin',
    '.',
    '/',
  ]);
});

test('a PATH of 100 KB is looked through in a moment of processor time', async () => {
  await using dir = await tempDir();
  const links = path.join(dir.path, 'links');
  await mkdir(links);
  await writeFile(path.join(dir.path, 'target'), '');
  for (let each = 0; each < 400; each++)
    await symlink(path.join(dir.path, 'target'), path.join(links, `link-${each}`));
  const absent = Array.from({ length: 2500 }, (_, each) => `${dir.path}/none/${each}`).join(':');
  for (const PATH of [repeat(''), repeat('/usr/bin/'), repeat(`${links}/`), absent]) {
    const before = process.cpuUsage();
    const folders = programFolders({ argv: ['sh'], env: { PATH } });
    for (let each = 0; each < 20; each++) programFolders({ argv: ['sh'], env: { PATH } });
    await findInstalledAgents({ PATH });
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(2000);
    if (PATH.startsWith(links)) expect(folders).toEqual([links, dir.path]);
  }
});

/** A list of 100 KB. */
function repeat(entry: string): string {
  return `${entry}:`.repeat(Math.ceil(100_000 / (entry.length + 1)));
}
