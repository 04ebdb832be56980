import { access, chmod, lstat, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { openProject } from '../../../src/adapters/git/open-project.ts';
import { gitRepo, writeFileIn } from '../../support/git-repo.ts';
import { loopHarness, loopSpec, signal } from './loop-harness.ts';

const exists = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  );

describe('opening a worktree', () => {
  test('a new one starts from the base on its own branch, without upstream, hidden from git status', async () => {
    await using loop = await loopHarness();
    expect(loop.opened).toMatchObject({ created: true, repaired: [], missing: [] });
    expect(await loop.agent('symbolic-ref', 'HEAD')).toBe('refs/heads/loopwright/loop-1');
    expect(await loop.workspace.head(signal)).toBe(loop.spec.base);
    expect(await loop.repo.git('status', '--porcelain')).toBe('');
    expect(await loop.repo.git('config', '--list', '--local')).not.toContain('loopwright');
    expect(await readFile(path.join(loop.repo.path, '.loopwright/.gitignore'), 'utf8')).toBe('*\n');
  });

  test('an existing one is reused with its unfinished work', async () => {
    await using loop = await loopHarness();
    await loop.write('wip.txt', 'wip\n');
    const again = await loop.project.openWorkspace(loop.spec, signal);
    expect(again).toMatchObject({ created: false, repaired: [] });
    expect(await loop.read('wip.txt')).toBe('wip\n');
  });

  test('a missing folder is made anew from the branch, which keeps its commits', async () => {
    await using loop = await loopHarness();
    const { head } = await loop.iterate(() => loop.write('done.txt', 'done\n'));
    await rm(loop.workspace.path, { recursive: true });
    const again = await loop.project.openWorkspace(loop.spec, signal);
    expect(again).toMatchObject({
      created: true,
      repaired: ['missing worktree made anew from its branch'],
    });
    expect(await again.workspace.head(signal)).toBe(head);
    expect(await loop.read('done.txt')).toBe('done\n');
  });

  test('a worktree of the user’s whose folder is not there now stays registered', async () => {
    await using loop = await loopHarness();
    const elsewhere = path.join(loop.repo.outside, 'unmounted');
    await loop.repo.git('worktree', 'add', '--quiet', '-b', 'mine', elsewhere);
    await rm(elsewhere, { recursive: true });
    await rm(loop.workspace.path, { recursive: true });
    await loop.project.openWorkspace(loop.spec, signal);
    expect(await loop.repo.git('worktree', 'list')).toContain('unmounted');
  });

  test('a deleted branch comes back with the commits of the loop', async () => {
    await using loop = await loopHarness();
    const { head } = await loop.iterate(() => loop.write('done.txt', 'done\n'));
    await loop.project.removeWorkspace(loop.spec, signal);
    await loop.repo.git('branch', '-D', 'loopwright/loop-1');
    const again = await loop.project.openWorkspace(loop.spec, signal);
    expect(again.repaired).toEqual(['missing branch loopwright/loop-1 made again']);
    expect(await again.workspace.head(signal)).toBe(head);
  });

  test('a worktree whose making was cut short is made anew', async () => {
    await using loop = await loopHarness();
    const gitDir = path.join(loop.repo.path, '.git/worktrees/loop-1');
    await rm(path.join(gitDir, 'loopwright/loop-1/ready'));
    await writeFile(path.join(gitDir, 'locked'), 'initializing');
    await rm(path.join(loop.workspace.path, 'README.md'));
    const again = await loop.project.openWorkspace(loop.spec, signal);
    expect(again).toMatchObject({ created: true, repaired: ['half-made worktree made anew'] });
    expect(await loop.read('README.md')).toBe('hello\n');
  });

  test('a worktree the repository has forgotten is registered again with its files', async () => {
    await using loop = await loopHarness();
    const { head } = await loop.iterate(() => loop.write('done.txt', 'done\n'));
    await loop.write('wip.txt', 'wip\n');
    await rm(path.join(loop.repo.path, '.git/worktrees'), { recursive: true });
    await expect(loop.workspace.snapshot(signal)).rejects.toMatchObject({ code: 'workspace.gone' });
    const again = await loop.project.openWorkspace(loop.spec, signal);
    expect(again).toMatchObject({
      created: false,
      repaired: ['worktree registered again, files kept'],
    });
    expect(await again.workspace.head(signal)).toBe(head);
    expect(await loop.agent('status', '--porcelain')).toBe('?? wip.txt');
  });

  test('a folder that is not the loop’s is refused and left alone', async () => {
    await using repo = await gitRepo();
    const spec = await loopSpec(repo);
    await writeFileIn(spec.path, 'precious.txt', 'mine\n');
    const project = await openProject(repo.path, signal, repo.env);
    const taken = { code: 'workspace.path_taken', hint: expect.any(String) };
    await expect(project.openWorkspace(spec, signal)).rejects.toMatchObject(taken);
    await expect(project.removeWorkspace(spec, signal)).rejects.toMatchObject(taken);
    expect(await readFile(path.join(spec.path, 'precious.txt'), 'utf8')).toBe('mine\n');
  });

  test('a worktree of another branch at that path is refused and left alone', async () => {
    await using repo = await gitRepo();
    const spec = await loopSpec(repo);
    await repo.git('worktree', 'add', '--quiet', '-b', 'mine', spec.path);
    const project = await openProject(repo.path, signal, repo.env);
    const taken = { code: 'workspace.path_taken' };
    await expect(project.openWorkspace(spec, signal)).rejects.toMatchObject(taken);
    await expect(project.removeWorkspace(spec, signal)).rejects.toMatchObject(taken);
    expect(await exists(path.join(spec.path, 'README.md'))).toBe(true);
  });

  test('a branch that the user has checked out is named as the reason', async () => {
    await using repo = await gitRepo();
    await repo.git('checkout', '--quiet', '-b', 'loopwright/loop-1');
    const project = await openProject(repo.path, signal, repo.env);
    const opening = project.openWorkspace(await loopSpec(repo), signal);
    await expect(opening).rejects.toMatchObject({ code: 'git.branch_in_use' });
  });

  test('stale locks of the worktree go, those of the user stay', async () => {
    await using loop = await loopHarness();
    const gitDir = path.join(loop.repo.path, '.git');
    const branchLock = path.join(gitDir, 'refs/heads/loopwright/loop-1.lock');
    const own = [path.join(gitDir, 'worktrees/loop-1/index.lock'), branchLock];
    const users = [path.join(gitDir, 'index.lock'), path.join(gitDir, 'refs/heads/main.lock')];
    for (const lock of [...own, ...users]) await writeFile(lock, '');
    const again = await loop.project.openWorkspace(loop.spec, signal);
    expect(again.repaired).toEqual([
      'stale lock removed: index.lock',
      'stale lock removed: loop-1.lock',
    ]);
    expect(await Promise.all(own.map(exists))).toEqual([false, false]);
    expect(await Promise.all(users.map(exists))).toEqual([true, true]);
  });

  test('a half merge and a half rebase of the agent’s are aborted', async () => {
    await using loop = await loopHarness();
    await loop.iterate(() => loop.write('README.md', 'loop\n'));
    await loop.repo.write('README.md', 'main\n');
    await loop.repo.commitAll('main moved');
    for (const operation of ['merge', 'rebase']) {
      await expect(loop.agent(operation, 'main')).rejects.toThrow('Command failed');
      const again = await loop.project.openWorkspace(loop.spec, signal);
      expect(again.repaired).toEqual([`half ${operation} aborted`]);
      expect(await loop.agent('status', '--porcelain', '--branch')).toBe('## loopwright/loop-1');
      expect(await loop.read('README.md')).toBe('loop\n');
    }
  });
});

describe('files brought along', () => {
  test('ignored files are copied, and missing ones named', async () => {
    await using loop = await loopHarness(
      async (repo) => {
        await repo.write('.gitignore', 'node_modules/\n.env.test\n');
        await repo.commitAll('ignore');
        await repo.write('.env.test', 'A=1\n');
        await repo.write('node_modules/lib/index.js', '1\n');
        await repo.write('vendor/cache/a.txt', '1\n');
        await symlink('a.txt', path.join(repo.path, 'vendor/cache/link'));
      },
      { copy: ['.env.test', 'vendor/cache', 'absent.txt'], link: ['node_modules', 'absent'] },
    );
    expect(loop.opened.missing).toEqual(['absent.txt', 'absent']);
    expect(await loop.read('.env.test')).toBe('A=1\n');
    expect(await readlink(path.join(loop.workspace.path, 'vendor/cache/link'))).toBe('a.txt');
    expect(await loop.read('node_modules/lib/index.js')).toBe('1\n');
    expect((await lstat(path.join(loop.workspace.path, 'node_modules'))).isDirectory()).toBe(true);
  });

  test('a linked folder never enters a snapshot or a commit, not even when the agent commits it', async () => {
    await using loop = await loopHarness((repo) => repo.write('node_modules/lib/index.js', '1\n'), {
      link: ['node_modules'],
    });
    const base = await loop.repo.git('rev-parse', `${loop.spec.base}^{tree}`);
    expect(await loop.workspace.snapshot(signal)).toBe(base);
    const { head } = await loop.iterate(async () => {
      await loop.write('a.txt', 'a\n');
      await loop.agent('add', '--all');
      await loop.agent('commit', '--quiet', '-m', 'everything');
    });
    const files = await loop.repo.git('ls-tree', '-r', '--name-only', head ?? '');
    expect(files.split('\n')).toEqual(['README.md', 'a.txt', 'src/app.js']);
    expect(await loop.read('node_modules/lib/index.js')).toBe('1\n');
  });

  test('paths that leave the project are refused', async () => {
    await using repo = await gitRepo();
    const project = await openProject(repo.path, signal, repo.env);
    for (const entry of ['../secret', '/etc/passwd', '.git', 'a/../../b', '.']) {
      const spec = { ...(await loopSpec(repo)), copy: [entry] };
      await expect(project.openWorkspace(spec, signal)).rejects.toMatchObject({
        code: 'workspace.bad_path',
      });
    }
  });

  test('a tracked link does not lead copies out of the worktree', async () => {
    await using repo = await gitRepo();
    await symlink(repo.outside, path.join(repo.path, 'out'));
    await repo.commitAll('a link');
    await rm(path.join(repo.path, 'out'));
    await repo.write('out/file', 'a real folder in the user’s checkout\n');
    const project = await openProject(repo.path, signal, repo.env);
    const spec = { ...(await loopSpec(repo)), copy: ['out/file'] };
    const opening = project.openWorkspace(spec, signal);
    await expect(opening).rejects.toMatchObject({ code: 'workspace.bad_path' });
    expect(await exists(path.join(repo.outside, 'file'))).toBe(false);
  });
});

describe('removing a worktree', () => {
  test('folder and registration go, the branch stays, also with a replaced .git and locked folders', async () => {
    await using loop = await loopHarness();
    const { head } = await loop.iterate(() => loop.write('done.txt', 'done\n'));
    await rm(path.join(loop.workspace.path, '.git'));
    await loop.repo.gitIn(loop.workspace.path, 'init', '--quiet');
    await loop.write('locked/file', 'x');
    await chmod(path.join(loop.workspace.path, 'locked'), 0o000);
    await loop.project.removeWorkspace(loop.spec, signal);
    expect(await exists(loop.workspace.path)).toBe(false);
    expect(await loop.repo.git('worktree', 'list')).not.toContain('loop-1');
    expect(await loop.repo.git('rev-parse', 'loopwright/loop-1')).toBe(head);
  });

  test('what a link in the worktree leads to is left alone', async () => {
    await using loop = await loopHarness((repo) => repo.write('node_modules/a.js', '1\n'), {
      link: ['node_modules'],
    });
    await loop.project.removeWorkspace(loop.spec, signal);
    expect(await exists(path.join(loop.repo.path, 'node_modules/a.js'))).toBe(true);
  });
});
