import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
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
