import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, watch } from 'node:fs';
import {
  appendFile,
  chmod,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { bringFiles } from '../../../src/adapters/git/bring-files.ts';
import { folderState } from '../../support/folder-state.ts';
import { emptyRepo, gitRepo, writeFileIn, type GitRepo } from '../../support/git-repo.ts';
import { loopHarness, signal } from './loop-harness.ts';

const linked = { copy: [], link: ['node_modules'] };

/** The user's checkout with `node_modules`, and a folder outside of the repository that gets it. */
async function twoFolders(prepare: (modules: string, repo: GitRepo) => Promise<unknown>) {
  const repo = await emptyRepo();
  const folder = path.join(repo.outside, 'room');
  await mkdir(folder);
  await repo.write('node_modules/lib/index.js', '1\n');
  await prepare(path.join(repo.path, 'node_modules'), repo);
  return {
    repo,
    folder,
    at: (name: string) => path.join(folder, 'node_modules', name),
    [Symbol.asyncDispose]: () => repo[Symbol.asyncDispose](),
  };
}

describe('a linked folder', () => {
  test('keeps modes, times and names, and leaves out what is no file', async () => {
    const odd = Buffer.from([0x6f, 0xff, 0x64]);
    await using made = await twoFolders(async (modules) => {
      await writeFile(path.join(modules, 'tool'), '#!/bin/sh\n', { mode: 0o755 });
      await writeFile(path.join(modules, 'kept'), 'x', { mode: 0o444 });
      await writeFile(Buffer.concat([Buffer.from(`${modules}/`), odd]), 'odd');
      await utimes(path.join(modules, 'kept'), 1_000_000_000.5, 1_000_000_000.25);
      execFileSync('mkfifo', [path.join(modules, 'pipe')]);
      await mkdir(path.join(modules, 'shut'));
      await writeFile(path.join(modules, 'shut/inner'), 'inner');
      await utimes(path.join(modules, 'shut'), 1_100_000_000, 1_100_000_000);
      await chmod(path.join(modules, 'shut'), 0o555);
    });
    expect(await bringFiles(made.repo.path, made.folder, linked, signal)).toEqual([]);
    expect((await stat(made.at('tool'))).mode & 0o777).toBe(0o755);
    const kept = await stat(made.at('kept'));
    expect([kept.mode & 0o777, kept.mtimeMs, kept.atimeMs]).toEqual([
      0o444, 1_000_000_000_250, 1_000_000_000_500,
    ]);
    const shut = await stat(made.at('shut'));
    expect([shut.mode & 0o777, shut.mtimeMs]).toEqual([0o555, 1_100_000_000_000]);
    expect(await readFile(made.at('shut/inner'), 'utf8')).toBe('inner');
    const names = await readdir(made.at('.'), { encoding: 'buffer' });
    expect(names.some((name) => name.equals(odd))).toBe(true);
    expect(existsSync(made.at('pipe'))).toBe(false);
  });

  test('shares no file with the checkout, also where one has several names', async () => {
    await using made = await twoFolders(async (modules, repo) => {
      await repo.write('store/shared.js', 'good\n');
      await link(path.join(repo.path, 'store/shared.js'), path.join(modules, 'one.js'));
      await link(path.join(repo.path, 'store/shared.js'), path.join(modules, 'two.js'));
    });
    const before = folderState(made.repo.path);
    await bringFiles(made.repo.path, made.folder, linked, signal);
    await appendFile(made.at('one.js'), 'bad\n');
    expect(await readFile(made.at('two.js'), 'utf8')).toBe('good\nbad\n');
    expect((await stat(made.at('two.js'))).nlink).toBe(2);
    expect(folderState(made.repo.path)).toEqual(before);
  });

  test('has links that lead to the packages beside it, wherever they led in the checkout', async () => {
    await using made = await twoFolders(async (modules, repo) => {
      await repo.write('packages/a/index.js', 'theirs\n');
      await writeFileIn(repo.outside, 'sibling/index.js', 'sibling\n');
      await mkdir(path.join(modules, '@scope'));
      await mkdir(path.join(modules, '.bin'));
      await symlink('../lib/index.js', path.join(modules, '.bin/lib'));
      await symlink('../../packages/a', path.join(modules, '@scope/a'));
      await symlink(path.join(repo.path, 'packages/a'), path.join(modules, 'absolute'));
      await symlink(path.join(modules, 'lib'), path.join(modules, 'own'));
      await symlink('../../outside/sibling', path.join(modules, 'sibling'));
      await symlink('/bin/sh', path.join(modules, 'shell'));
    });
    await writeFileIn(made.folder, 'packages/a/index.js', 'the loop’s\n');
    const before = folderState(made.repo.path);
    await bringFiles(made.repo.path, made.folder, linked, signal);
    expect(await readlink(made.at('.bin/lib'))).toBe('../lib/index.js');
    expect(await readlink(made.at('@scope/a'))).toBe('../../packages/a');
    expect(await readlink(made.at('absolute'))).toBe(path.join(made.folder, 'packages/a'));
    expect(await readlink(made.at('own'))).toBe(made.at('lib'));
    expect(await readlink(made.at('shell'))).toBe('/bin/sh');
    expect(await readFile(made.at('sibling/index.js'), 'utf8')).toBe('sibling\n');
    for (const name of ['@scope/a', 'absolute', 'own']) {
      await writeFile(made.at(`${name}/index.js`), 'bad\n');
    }
    expect(await readFile(path.join(made.folder, 'packages/a/index.js'), 'utf8')).toBe('bad\n');
    expect(folderState(made.repo.path)).toEqual(before);
  });

  test('that is a link in the checkout is copied from where that leads', async () => {
    await using made = await twoFolders(async (modules, repo) => {
      const elsewhere = path.join(repo.outside, 'disk/modules');
      await writeFileIn(elsewhere, 'lib/index.js', 'far\n');
      await symlink(path.join(elsewhere, 'lib'), path.join(elsewhere, 'own'));
      await rm(modules, { recursive: true });
      await symlink(elsewhere, modules);
    });
    await bringFiles(made.repo.path, made.folder, linked, signal);
    await writeFile(made.at('own/index.js'), 'bad\n');
    expect(await readFile(made.at('lib/index.js'), 'utf8')).toBe('bad\n');
    const far = path.join(made.repo.outside, 'disk/modules/lib/index.js');
    expect(await readFile(far, 'utf8')).toBe('far\n');
  });

  test('that is a Python environment starts and installs its own', async () => {
    await using made = await twoFolders(async (_, repo) => {
      const venv = path.join(repo.path, '.venv');
      await writeFileIn(venv, 'pyvenv.cfg', 'home = /usr/bin\n');
      await writeFileIn(venv, 'bin/tool', `#!${venv}/bin/python\nprint("${repo.path}-old")\n`);
      await writeFileIn(venv, 'bin/activate', `VIRTUAL_ENV="${venv}"\n`);
      const packages = 'lib/python3.11/site-packages';
      await writeFileIn(venv, `${packages}/__editable__.app.pth`, `${repo.path}/src\n`);
      await writeFileIn(venv, `${packages}/app/data.txt`, `${repo.path}/src\n`);
    });
    const spec = { copy: [], link: ['.venv'] };
    const before = folderState(made.repo.path);
    await bringFiles(made.repo.path, made.folder, spec, signal);
    const venv = path.join(made.folder, '.venv');
    const read = (name: string) => readFile(path.join(venv, name), 'utf8');
    expect(await read('bin/tool')).toBe(`#!${venv}/bin/python\nprint("${made.repo.path}-old")\n`);
    expect(await read('bin/activate')).toBe(`VIRTUAL_ENV="${venv}"\n`);
    const packages = 'lib/python3.11/site-packages';
    expect(await read(`${packages}/__editable__.app.pth`)).toBe(`${made.folder}/src\n`);
    expect(await read(`${packages}/app/data.txt`)).toBe(`${made.repo.path}/src\n`);
    expect(folderState(made.repo.path)).toEqual(before);
  });

  test('counts as the loop’s disk space only for what was added to it', async () => {
    const big = 'x'.repeat(1_000_000);
    await using loop = await loopHarness((repo) => repo.write('node_modules/lib/index.js', big), {
      link: ['node_modules'],
    });
    expect(await loop.workspace.diskUsage(signal)).toBeLessThan(500_000);
    await loop.write('node_modules/added.js', big);
    expect(await loop.workspace.diskUsage(signal)).toBeGreaterThan(900_000);
  });

  test('of a worktree comes with what was changed in it', async () => {
    await using loop = await loopHarness((repo) => repo.write('node_modules/lib/index.js', '1\n'), {
      link: ['node_modules'],
    });
    await loop.write('node_modules/added/index.js', 'added\n');
    const room = path.join(loop.repo.outside, 'room');
    await mkdir(room);
    await bringFiles(loop.workspace.path, room, linked, signal);
    expect(await readdir(path.join(room, 'node_modules'))).toEqual(['added', 'lib']);
  });
});

async function manyFiles(folder: string): Promise<void> {
  for (let number = 0; number < 2000; number++) {
    await writeFileIn(folder, `package-${number}/index.js`, `${number}\n`);
  }
}

describe('a copy that is cut', () => {
  test('by a stop leaves nothing', async () => {
    await using made = await twoFolders(manyFiles);
    const stop = new AbortController();
    const watcher = watch(made.folder, () => stop.abort(new Error('stopped')));
    const bringing = bringFiles(made.repo.path, made.folder, linked, stop.signal);
    await expect(bringing).rejects.toThrow('stopped');
    watcher.close();
    expect(await readdir(made.folder)).toEqual([]);
  });

  test('by a kill is never used: the next start makes the worktree anew', async () => {
    await using repo = await gitRepo();
    await manyFiles(path.join(repo.path, 'node_modules'));
    const base = await repo.git('rev-parse', 'HEAD');
    const program = new URL('../../reliability/programs/dies-while-copying.ts', import.meta.url);
    const args = [fileURLToPath(program), repo.path, base];
    const child = spawn(process.execPath, args, { env: repo.env, stdio: 'inherit' });
    const [, ended] = await once(child, 'exit');
    expect(ended).toBe('SIGKILL');
    const folder = path.join(repo.path, '.loopwright/worktrees/loop-1');
    expect(await readdir(folder)).toContain('.node_modules.loopwright-partial');
    expect(existsSync(path.join(folder, 'node_modules'))).toBe(false);
    await using loop = await loopHarness(undefined, { link: ['node_modules'] }, repo);
    expect(loop.opened.repaired).toEqual(['half-made worktree made anew']);
    expect(await readdir(path.join(folder, 'node_modules'))).toHaveLength(2000);
    expect(await readdir(folder)).not.toContain('.node_modules.loopwright-partial');
  });
});

test('a link that an older version left becomes a copy when the worktree is opened', async () => {
  await using loop = await loopHarness((repo) => repo.write('node_modules/lib/index.js', '1\n'), {
    link: ['node_modules', 'absent'],
  });
  const modules = path.join(loop.workspace.path, 'node_modules');
  await rm(modules, { recursive: true });
  await symlink(path.join(loop.repo.path, 'node_modules'), modules);
  const again = await loop.project.openWorkspace(loop.spec, signal);
  expect(again.repaired).toEqual(['node_modules led to your checkout, now it is a copy']);
  await loop.write('node_modules/lib/index.js', 'bad\n');
  expect((await lstat(modules)).isDirectory()).toBe(true);
  expect(await readFile(path.join(loop.repo.path, 'node_modules/lib/index.js'), 'utf8')).toBe(
    '1\n',
  );
});
