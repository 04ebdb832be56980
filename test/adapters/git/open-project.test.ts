import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { openProject } from '../../../src/adapters/git/open-project.ts';
import { emptyRepo, gitRepo } from '../../support/git-repo.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { loopSpec, signal } from './loop-harness.ts';

describe('finding the project', () => {
  test('a subfolder belongs to the repository around it', async () => {
    await using repo = await gitRepo();
    const project = await openProject(path.join(repo.path, 'src'), signal, repo.env);
    expect(project).toMatchObject({ kind: 'git', root: repo.path });
  });

  test('a linked worktree of the user’s is a checkout like any other, and can start loops', async () => {
    await using repo = await gitRepo();
    const linked = path.join(repo.outside, 'linked');
    await repo.git('worktree', 'add', '--quiet', '-b', 'side', linked);
    const project = await openProject(linked, signal, repo.env);
    expect(project).toMatchObject({ kind: 'git', root: linked });
    expect(await project.describe(signal)).toMatchObject({ branch: 'side', dirty: false });
    const spec = {
      ...(await loopSpec(repo)),
      path: path.join(linked, '.loopwright/worktrees/loop-1'),
    };
    const { workspace } = await project.openWorkspace(spec, signal);
    expect(await workspace.head(signal)).toBe(spec.base);
    expect(await repo.gitIn(linked, 'status', '--porcelain')).toBe('');
  });

  test('a folder outside any repository is a plain folder', async () => {
    await using dir = await tempDir();
    expect(await openProject(dir.path, signal, process.env)).toMatchObject({
      kind: 'folder',
      root: dir.path,
    });
  });

  test('the caller’s GIT_DIR and GIT_INDEX_FILE do not lead astray', async () => {
    await using repo = await gitRepo();
    await using other = await gitRepo();
    const env = { ...repo.env, GIT_DIR: path.join(other.path, '.git'), GIT_INDEX_FILE: '/nowhere' };
    const project = await openProject(repo.path, signal, env);
    expect(project.root).toBe(repo.path);
    expect(await project.resolve('HEAD', signal)).toBe(await repo.git('rev-parse', 'HEAD'));
  });

  test('without git a folder still works, a repository says what is missing', async () => {
    await using dir = await tempDir();
    const env = { PATH: dir.path };
    expect((await openProject(dir.path, signal, env)).kind).toBe('folder');
    await mkdir(path.join(dir.path, '.git'));
    const failing = openProject(dir.path, signal, env);
    await expect(failing).rejects.toMatchObject({ code: 'git.missing', hint: expect.any(String) });
  });

  test('an unborn branch is described, and refused when a loop needs a commit', async () => {
    await using repo = await emptyRepo();
    const project = await openProject(repo.path, signal, repo.env);
    const state = { branch: 'main', head: null, dirty: false, operation: null };
    expect(await project.describe(signal)).toEqual(state);
    const spec = {
      loopId: 'loop-1',
      mode: 'worktree',
      branch: 'loopwright/loop-1',
      base: null,
    } as const;
    const opening = project.openWorkspace(
      { ...spec, path: path.join(repo.path, '.loopwright/worktrees/loop-1'), copy: [], link: [] },
      signal,
    );
    const refusal = { code: 'git.no_commits', hint: expect.stringContaining('git commit') };
    await expect(opening).rejects.toMatchObject(refusal);
  });

  test('a bare repository is refused when a loop needs files', async () => {
    await using repo = await gitRepo();
    const bare = path.join(repo.outside, 'bare.git');
    await repo.git('clone', '--quiet', '--bare', repo.path, bare);
    const project = await openProject(bare, signal, repo.env);
    expect(await project.describe(signal)).toMatchObject({ branch: 'main', dirty: false });
    const opening = project.openWorkspace(await loopSpec(repo), signal);
    await expect(opening).rejects.toMatchObject({ code: 'git.bare', hint: expect.any(String) });
  });

  test('a SHA-256 repository works like any other', async () => {
    await using repo = await emptyRepo('--object-format=sha256');
    await repo.write('a.txt', 'a\n');
    await repo.commitAll('first');
    const project = await openProject(repo.path, signal, repo.env);
    const { workspace } = await project.openWorkspace(await loopSpec(repo), signal);
    const startTree = await workspace.snapshot(signal);
    await writeFile(path.join(workspace.path, 'b.txt'), 'b\n');
    const startHead = await workspace.head(signal);
    const input = { startTree, startHead, subject: 'x', trailers: [] };
    const { commit } = await workspace.commit(input, signal);
    expect(commit).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('the user’s checkout', () => {
  test('only tracked changes make it dirty', async () => {
    await using repo = await gitRepo();
    const project = await openProject(repo.path, signal, repo.env);
    await repo.write('untracked.txt', 'x\n');
    expect(await project.describe(signal)).toMatchObject({ branch: 'main', dirty: false });
    await repo.write('README.md', 'edited\n');
    expect(await project.describe(signal)).toMatchObject({ dirty: true });
    await repo.git('add', 'README.md');
    expect(await project.describe(signal)).toMatchObject({ dirty: true });
  });

  test('a detached HEAD and a running merge are seen', async () => {
    await using repo = await gitRepo();
    const project = await openProject(repo.path, signal, repo.env);
    await repo.git('checkout', '--quiet', '-b', 'side');
    await repo.write('README.md', 'side\n');
    await repo.commitAll('side');
    await repo.git('checkout', '--quiet', 'main');
    await repo.write('README.md', 'main\n');
    await repo.commitAll('main');
    await repo.git('merge', 'side').catch(() => undefined);
    expect(await project.describe(signal)).toMatchObject({ operation: 'merge', dirty: true });
    await repo.git('merge', '--abort');
    await repo.git('checkout', '--quiet', '--detach');
    expect(await project.describe(signal)).toMatchObject({
      branch: null,
      operation: null,
      dirty: false,
    });
  });
});

describe('names and branches', () => {
  test('a ref resolves to its commit; options, nonsense and blobs resolve to nothing', async () => {
    await using repo = await gitRepo();
    await repo.git('tag', 'v1');
    const project = await openProject(repo.path, signal, repo.env);
    const head = await repo.git('rev-parse', 'HEAD');
    expect(await project.resolve('v1', signal)).toBe(head);
    expect(await project.resolve(head, signal)).toBe(head);
    for (const nothing of ['--all', 'no-such', '', 'HEAD:README.md']) {
      expect(await project.resolve(nothing, signal)).toBeNull();
    }
  });

  test('a branch is created once, at a commit, under a valid name', async () => {
    await using repo = await gitRepo();
    const project = await openProject(repo.path, signal, repo.env);
    const head = await repo.git('rev-parse', 'HEAD');
    await project.createBranch('restored', head, signal);
    expect(await repo.git('rev-parse', 'restored')).toBe(head);
    const again = project.createBranch('restored', head, signal);
    await expect(again).rejects.toMatchObject({ code: 'git.branch_exists' });
    const bad = project.createBranch('-bad..name', head, signal);
    await expect(bad).rejects.toMatchObject({ code: 'git.bad_branch_name' });
    const lost = project.createBranch('other', 'f'.repeat(40), signal);
    await expect(lost).rejects.toMatchObject({ code: 'git.no_such_commit' });
  });

  test('only loops’ branches are deleted, and none that is checked out', async () => {
    await using repo = await gitRepo();
    const project = await openProject(repo.path, signal, repo.env);
    await repo.git('branch', 'precious');
    const precious = project.deleteBranch('precious', signal);
    await expect(precious).rejects.toMatchObject({ code: 'git.not_ours' });
    const spec = await loopSpec(repo);
    await project.openWorkspace(spec, signal);
    const used = project.deleteBranch('loopwright/loop-1', signal);
    await expect(used).rejects.toMatchObject({ code: 'git.branch_in_use' });
    await project.removeWorkspace(spec, signal);
    await project.deleteBranch('loopwright/loop-1', signal);
    await project.deleteBranch('loopwright/loop-1', signal);
    expect(await repo.git('for-each-ref', '--format=%(refname)')).toBe(
      'refs/heads/main\nrefs/heads/precious',
    );
  });

  test('a summary of a diff cannot be broken by file names', async () => {
    await using repo = await gitRepo();
    const from = await repo.git('rev-parse', 'HEAD');
    await repo.write('two\nlines.txt', '1\n2\n');
    await repo.write('README.md', 'hello\nworld\n');
    await rm(path.join(repo.path, 'src'), { recursive: true });
    const to = await repo.commitAll('change');
    const project = await openProject(repo.path, signal, repo.env);
    expect(await project.diffSummary(from, to, signal)).toEqual({
      files: ['README.md', 'src/app.js', 'two\nlines.txt'],
      stat: [
        ' README.md | +1 -0',
        ' src/app.js | +0 -1',
        String.raw` "two\nlines.txt" | +2 -0`,
        ' 3 files changed, +3 -1',
      ].join('\n'),
    });
  });
});
