import { statSync, writeFileSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { openProject } from '../../../src/adapters/git/open-project.ts';
import { gitRepo, writeFileIn } from '../../support/git-repo.ts';
import { loopHarness, loopSpec, signal } from './loop-harness.ts';

const limits = { diffChars: 5000, logEntries: 10 };

describe('the description for a prompt', () => {
  test('shows status, diff against HEAD with untracked files, and the log', async () => {
    await using loop = await loopHarness();
    await loop.iterate(() => loop.write('a.txt', 'a\n'));
    await loop.write('README.md', 'changed\n');
    await loop.write('odd\nname.txt', 'x\n');
    await loop.workspace.snapshot(signal);
    const { status, diff, log } = await loop.workspace.describe(limits, signal);
    expect(status).toBe('M  README.md\n"A  odd\\nname.txt"');
    expect(diff).toContain('-hello\n+changed\n');
    expect(diff).toContain('+++ "b/odd\\nname.txt"');
    expect(log.replaceAll(/^[0-9a-f]{7,}/gm, '<id>')).toBe('<id> Iteration 1\n<id> first');
  });

  test('is empty for a clean worktree', async () => {
    await using loop = await loopHarness();
    expect(await loop.workspace.describe(limits, signal)).toMatchObject({ status: '', diff: '' });
  });

  test('works on an index the agent has broken', async () => {
    await using loop = await loopHarness();
    await writeFile(path.join(loop.repo.path, '.git/worktrees/loop-1/index'), 'garbage');
    await loop.write('README.md', 'changed\n');
    const { status, diff } = await loop.workspace.describe(limits, signal);
    expect(status).toBe(' M README.md');
    expect(diff).toContain('+changed');
  });
});

describe('the cost of an iteration', () => {
  test('is a handful of git processes', async () => {
    await using repo = await gitRepo();
    const log = path.join(repo.outside, 'log');
    const bin = path.join(repo.outside, 'bin');
    const realPath = repo.env['PATH'] ?? '';
    await mkdir(bin);
    const script = `#!/bin/sh\necho "$1" >> ${log}\nPATH=${realPath} exec git "$@"\n`;
    await writeFile(path.join(bin, 'git'), script);
    await chmod(path.join(bin, 'git'), 0o755);
    const project = await openProject(repo.path, signal, {
      ...repo.env,
      PATH: `${bin}:${realPath}`,
    });
    const { workspace } = await project.openWorkspace(await loopSpec(repo), signal);
    const commandsOf = async <Result>(act: () => Promise<Result>) => {
      await writeFile(log, '');
      const result = await act();
      return { result, commands: (await readFile(log, 'utf8')).split('\n').filter(Boolean) };
    };

    const first = await commandsOf(() => workspace.snapshot(signal));
    // Nothing differs from the commit, whose tree it then is.
    expect(first.commands).toEqual(['ls-files']);
    const startHead = await commandsOf(() => workspace.head(signal));
    expect(startHead.commands).toEqual([]);
    await writeFileIn(workspace.path, 'a.txt', 'a\n');
    const second = await commandsOf(() => workspace.snapshot(signal));
    expect(second.commands).toEqual(['ls-files', 'update-index', 'write-tree']);
    const changes = await commandsOf(() => workspace.changes(first.result, second.result, signal));
    expect(changes.commands).toEqual(['diff-tree']);
    const input = {
      startTree: first.result,
      startHead: startHead.result,
      subject: 'x',
      trailers: [],
    };
    const committed = await commandsOf(() => workspace.commit(input, signal));
    expect(committed.commands).toEqual(['ls-files', 'cat-file', 'commit-tree', 'update-ref']);
    const idle = await commandsOf(() => workspace.snapshot(signal));
    expect(idle.commands).toEqual(['ls-files']);
  });
});

describe('a snapshot of a large repository', () => {
  test('is what git itself would add, however the files changed', async () => {
    const folder =
      'a-folder-with-a-name-that-is-as-long-as-a-name-of-a-folder-can-sensibly-be'.repeat(2);
    await using loop = await loopHarness(async (repo) => {
      await mkdir(path.join(repo.path, folder));
      for (let at = 0; at < 5000; at += 1)
        writeFileSync(path.join(repo.path, folder, `file-${at}`), `${at % 7}\n`);
      for (const name of [
        'kept',
        'edited',
        'gone',
        'mode',
        'to-folder',
        'in/one',
        'in/two',
        'link/a',
      ])
        await repo.write(name, `${name}\n`);
      await repo.write('.gitignore', 'ignored/\n');
      await repo.commitAll('many');
    });
    const at = loop.workspace.path;
    expect(statSync(path.join(loop.repo.path, '.git/worktrees/loop-1/index')).size).toBeGreaterThan(
      1024 * 1024,
    );
    const start = await loop.workspace.snapshot(signal);
    expect(start).toBe(await loop.agent('rev-parse', 'HEAD^{tree}'));

    await loop.write(`${folder}/file-77`, 'x\n');
    await loop.write('edited', 'EDITED\n');
    await loop.write('odd\nname', 'x\n');
    await loop.write('new/folder/file', 'x\n');
    await loop.write('ignored/file', 'x\n');
    await chmod(path.join(at, 'mode'), 0o755);
    for (const name of ['gone', 'to-folder', 'in', 'link'])
      await rm(path.join(at, name), { recursive: true });
    await loop.write('to-folder/file', 'x\n');
    await loop.write('in', 'now a file\n');
    await symlink('new', path.join(at, 'link'));
    await loop.write('.gitmodules-not', 'x\n');
    const snapshot = await loop.workspace.snapshot(signal);

    expect(loop.workspace.touchedSince(start)?.toSorted()).toEqual([
      '.gitmodules-not',
      `${folder}/file-77`,
      'edited',
      'gone',
      'in',
      'in/one',
      'in/two',
      'link',
      'link/a',
      'mode',
      'new/folder/file',
      'odd\nname',
      'to-folder',
      'to-folder/file',
    ]);
    await loop.agent('add', '--all');
    expect(snapshot).toBe(await loop.agent('write-tree'));
    expect(await loop.workspace.snapshot(signal)).toBe(snapshot);
  });
});

describe('rebasing in the user’s checkout', () => {
  test('moves branch and files, and gives way to files of the user’s', async () => {
    await using repo = await gitRepo();
    const base = await repo.git('rev-parse', 'HEAD');
    await repo.git('checkout', '--quiet', '-b', 'upstream');
    await repo.write('up.txt', 'up\n');
    const onto = await repo.commitAll('up');
    await repo.write('.git/info/exclude', 'ignored.txt\n');
    await repo.write('taken.txt', 'up\n');
    await repo.write('ignored.txt', 'up\n');
    await repo.git('add', '--force', 'taken.txt', 'ignored.txt');
    const further = await repo.commitAll('further');
    await repo.git('checkout', '--quiet', 'main');
    const project = await openProject(repo.path, signal, repo.env);
    const spec = {
      ...(await loopSpec(repo)),
      mode: 'in-place',
      path: repo.path,
      branch: 'main',
    } as const;
    const { workspace } = await project.openWorkspace(spec, signal);
    await repo.write('own.txt', 'own\n');
    await repo.commitAll('own');

    expect((await workspace.rebase(onto, base, signal)).kind).toBe('rebased');
    expect(await repo.git('status', '--porcelain')).toBe('');
    expect(await repo.git('log', '--format=%s', `${onto}..main`)).toBe('own');
    expect(await readFile(path.join(repo.path, 'up.txt'), 'utf8')).toBe('up\n');

    await repo.write('taken.txt', 'mine\n');
    await repo.write('ignored.txt', 'mine\n');
    const blocked = await workspace.rebase(further, onto, signal);
    expect(blocked).toEqual({ kind: 'conflict', files: ['ignored.txt', 'taken.txt'] });
    expect(await repo.git('log', '--format=%s', `${onto}..main`)).toBe('own');
    expect(await readFile(path.join(repo.path, 'taken.txt'), 'utf8')).toBe('mine\n');
    expect(await readFile(path.join(repo.path, 'ignored.txt'), 'utf8')).toBe('mine\n');
  });
});
