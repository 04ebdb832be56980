import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { openProject } from '../../../src/adapters/git/open-project.ts';
import { gitRepo, writeFileIn } from '../../support/git-repo.ts';
import { loopHarness, loopSpec, signal } from './loop-harness.ts';
import type { LoopHarness } from './loop-harness.ts';

const filesOf = async (loop: LoopHarness, revision: string | null) =>
  (await loop.repo.git('ls-tree', '-r', '--name-only', revision ?? 'missing')).split('\n');

describe('repositories inside the worktree', () => {
  test('their files are committed as ordinary files, with and without commits, at any depth', async () => {
    await using loop = await loopHarness();
    await loop.write('.gitignore', 'node_modules\n');
    const nested = async (folder: string) => {
      await mkdir(path.join(loop.workspace.path, folder), { recursive: true });
      await loop.repo.gitIn(path.join(loop.workspace.path, folder), 'init', '--quiet');
    };
    const { commit } = await loop.iterate(async () => {
      await nested('empty');
      await loop.write('empty/a.txt', 'a\n');
      await loop.write('empty/node_modules/x.js', 'x\n');
      await nested('empty/deep');
      await loop.write('empty/deep/b.txt', 'b\n');
      await nested('full');
      await loop.write('full/.gitignore', 'out\n');
      await loop.write('full/out', 'ignored\n');
      const full = path.join(loop.workspace.path, 'full');
      await loop.repo.gitIn(full, 'add', '--all');
      await loop.repo.gitIn(full, 'commit', '--quiet', '-m', 'inner');
    });
    expect((await filesOf(loop, commit)).filter((file) => file.includes('/'))).toEqual([
      'empty/a.txt',
      'empty/deep/b.txt',
      'full/.gitignore',
      'src/app.js',
    ]);
    const next = await loop.iterate(() => loop.write('full/c.txt', 'c\n'));
    expect(await filesOf(loop, next.commit)).toContain('full/c.txt');
  });

  test('one that the agent committed as a bare link becomes files too', async () => {
    await using loop = await loopHarness();
    const { head } = await loop.iterate(async () => {
      await loop.write('inner/a.txt', 'a\n');
      const inner = path.join(loop.workspace.path, 'inner');
      await loop.repo.gitIn(inner, 'init', '--quiet');
      await loop.repo.gitIn(inner, 'add', '--all');
      await loop.repo.gitIn(inner, 'commit', '--quiet', '-m', 'inner');
      await loop.agent('add', 'inner');
      await loop.agent('commit', '--quiet', '-m', 'a link');
    });
    expect(await filesOf(loop, head)).toContain('inner/a.txt');
  });

  test('a submodule stays a submodule', async () => {
    await using loop = await loopHarness();
    const { head } = await loop.iterate(async () => {
      const allow = ['-c', 'protocol.file.allow=always'];
      await loop.agent(...allow, 'submodule', '--quiet', 'add', loop.repo.path, 'sub');
    });
    expect(await loop.repo.git('ls-tree', head ?? '', 'sub')).toContain('160000 commit');
  });
});

describe('awkward files', () => {
  test('a tracked folder behind an ignored link is deleted, not followed', async () => {
    await using loop = await loopHarness();
    const { commit } = await loop.iterate(async () => {
      await loop.write('.gitignore', 'src\n');
      await rename(path.join(loop.workspace.path, 'src'), path.join(loop.repo.outside, 'moved'));
      await writeFileIn(loop.repo.outside, 'moved/app.js', 'other\n');
      await symlink(path.join(loop.repo.outside, 'moved'), path.join(loop.workspace.path, 'src'));
    });
    expect(await filesOf(loop, commit)).toEqual(['.gitignore', 'README.md']);
  });

  test('the engine’s own damaged index is rebuilt', async () => {
    await using loop = await loopHarness();
    const index = path.join(loop.repo.path, '.git/worktrees/loop-1/loopwright/loop-1/index');
    const { commit } = await loop.iterate(async () => {
      await writeFile(index, 'garbage');
      await writeFile(`${index}.lock`, '');
      await loop.write('a.txt', 'a\n');
    });
    expect(await filesOf(loop, commit)).toEqual(['README.md', 'a.txt', 'src/app.js']);
  });
});

describe('in the user’s checkout', () => {
  test('a commit goes on the user’s branch and keeps what they had staged', async () => {
    await using repo = await gitRepo();
    await repo.write('staged.txt', 'mine\n');
    await repo.git('add', 'staged.txt');
    const project = await openProject(repo.path, signal, repo.env);
    const spec = {
      ...(await loopSpec(repo)),
      mode: 'in-place',
      path: repo.path,
      branch: 'main',
    } as const;
    const { workspace } = await project.openWorkspace(spec, signal);
    const startTree = await workspace.snapshot(signal);
    await repo.write('README.md', 'by the agent\n');
    const input = { startTree, startHead: spec.base, subject: 'x', trailers: [] };
    const { commit } = await workspace.commit(input, signal);
    expect(await repo.git('rev-parse', 'main')).toBe(commit);
    expect(await repo.git('ls-tree', '--name-only', 'main')).toBe('README.md\nsrc');
    expect(await repo.git('status', '--porcelain')).toBe('A  staged.txt');
  });

  test('another branch, a detached HEAD and a running merge are refused', async () => {
    await using repo = await gitRepo();
    const project = await openProject(repo.path, signal, repo.env);
    const spec = { ...(await loopSpec(repo)), mode: 'in-place', path: repo.path } as const;
    const other = project.openWorkspace({ ...spec, branch: 'other' }, signal);
    await expect(other).rejects.toMatchObject({ code: 'workspace.off_branch' });
    const detached = project.openWorkspace({ ...spec, branch: null }, signal);
    await expect(detached).rejects.toMatchObject({ code: 'git.detached' });
    await writeFile(path.join(repo.path, '.git/MERGE_HEAD'), spec.base);
    const merging = project.openWorkspace({ ...spec, branch: 'main' }, signal);
    await expect(merging).rejects.toMatchObject({ code: 'workspace.operation' });
  });
});

describe('what attributes convert', () => {
  const lost = 'a.txt (a checkout of the commit gives it other bytes)';

  test('is named when a checkout of the commit would give other bytes, until it does not', async () => {
    await using loop = await loopHarness();
    const first = await loop.iterate(async () => {
      await loop.write('.gitattributes', '* text=auto\n');
      await loop.write('a.txt', 'fixed\r\n');
    });
    expect(first.unstored).toEqual([lost]);
    const second = await loop.iterate(() => loop.write('b.txt', 'b\n'));
    expect(second.unstored).toEqual([lost]);
    const third = await loop.iterate(() => loop.write('a.txt', 'fixed\n'));
    expect(third.unstored).toEqual([]);
  });

  test('is named when the rules came later than the file', async () => {
    await using loop = await loopHarness();
    const first = await loop.iterate(() => loop.write('deep/a.txt', 'fixed\r\n'));
    expect(first.unstored).toEqual([]);
    const second = await loop.iterate(async () => {
      await loop.write('deep/.gitattributes', '* text\n');
      await loop.write('deep/a.txt', 'fixed again\r\n');
    });
    expect(second.unstored).toEqual([`deep/${lost}`]);
  });

  test('is in order when it comes back the same', async () => {
    await using loop = await loopHarness();
    const { unstored, head } = await loop.iterate(async () => {
      await loop.write('.gitattributes', '*.bat text eol=crlf\n');
      await loop.write('a.bat', 'echo\r\n');
    });
    expect(unstored).toEqual([]);
    expect(await loop.agent('cat-file', '-p', `${head}:a.bat`)).toBe('echo');
  });

  test('is named when the rules are in no commit', async () => {
    await using loop = await loopHarness();
    const { unstored } = await loop.iterate(async () => {
      await loop.repo.write('.git/info/attributes', 'a.txt text eol=crlf\n');
      await loop.write('a.txt', 'fixed\r\n');
    });
    expect(unstored).toEqual([lost]);
  });

  test('is nothing by a setting of the agent’s', async () => {
    await using loop = await loopHarness();
    const { unstored, head } = await loop.iterate(async () => {
      await loop.agent('config', 'core.autocrlf', 'input');
      await loop.write('a.txt', 'fixed\r\n');
    });
    expect(unstored).toEqual([]);
    const size = await loop.agent('cat-file', '-s', `${head}:a.txt`);
    expect(size).toBe('7');
  });
});
