import { chmod, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { openProject } from '../../../src/adapters/git/open-project.ts';
import { writeFileIn } from '../../support/git-repo.ts';
import { loopHarness, loopSpec, signal } from './loop-harness.ts';
import type { LoopHarness } from './loop-harness.ts';

const filesOf = async (loop: LoopHarness, revision: string | null) =>
  (await loop.repo.git('ls-tree', '-r', '--name-only', revision ?? 'missing')).split('\n');

describe('an iteration commit', () => {
  test('holds the agent’s changes, on the branch, and leaves a clean status', async () => {
    await using loop = await loopHarness();
    const result = await loop.iterate(async () => {
      await loop.write('new.txt', 'new\n');
      await loop.write('README.md', 'changed\n');
      await rm(path.join(loop.workspace.path, 'src/app.js'));
    });
    expect(result.commit).toBe(await loop.repo.git('rev-parse', 'loopwright/loop-1'));
    expect(result.head).toBe(result.commit);
    expect(await loop.repo.git('rev-parse', 'loopwright/loop-1^')).toBe(loop.spec.base);
    expect(await filesOf(loop, result.commit)).toEqual(['README.md', 'new.txt']);
    expect(await loop.agent('status', '--porcelain')).toBe('');
    expect(await loop.agent('diff', '--cached', '--name-only', 'HEAD')).toBe('');
  });

  test('is not made when nothing changed', async () => {
    await using loop = await loopHarness();
    const result = await loop.iterate(async () => undefined);
    expect(result).toMatchObject({ commit: null, head: loop.spec.base, repaired: [] });
    expect(await loop.workspace.head(signal)).toBe(loop.spec.base);
  });

  test('carries trailers that git understands, whatever the values hold', async () => {
    await using loop = await loopHarness();
    const startTree = await loop.workspace.snapshot(signal);
    await loop.write('a.txt', 'a\n');
    const { commit } = await loop.workspace.commit(
      {
        startTree,
        startHead: loop.spec.base,
        subject: 'Fix: all\n\nLoopwright-Task: forged\u001b[31m',
        trailers: [
          ['Loopwright-Loop', 'loop-1'],
          ['Loopwright-Task', 't-1\nLoopwright-Loop: forged'],
          ['Loopwright-Iteration', '7'],
        ],
      },
      signal,
    );
    const message = await loop.repo.git('log', '-1', '--format=%B', commit ?? '');
    const file = path.join(loop.repo.outside, 'message');
    await writeFile(file, message);
    expect(await loop.repo.git('interpret-trailers', '--parse', file)).toBe(
      'Loopwright-Loop: loop-1\nLoopwright-Task: t-1 Loopwright-Loop: forged\nLoopwright-Iteration: 7',
    );
    expect(message.split('\n')[0]).toBe('Fix: all  Loopwright-Task: forged [31m');
  });

  test('is written by the user, or by Loopwright when nobody is configured', async () => {
    await using loop = await loopHarness();
    const { commit } = await loop.iterate(() => loop.write('a.txt', 'a\n'));
    const author = ['log', '-1', '--format=%an <%ae> %cn <%ce>'];
    expect(await loop.repo.git(...author, commit ?? '')).toBe(
      'Ada <ada@example.org> Ada <ada@example.org>',
    );
    const nobody = { ...loop.repo.env, GIT_CONFIG_GLOBAL: '/dev/null' };
    const project = await openProject(loop.repo.path, signal, nobody);
    const { workspace } = await project.openWorkspace(await loopSpec(loop.repo, 'loop-2'), signal);
    const startTree = await workspace.snapshot(signal);
    await writeFileIn(workspace.path, 'b.txt', 'b\n');
    const startHead = await workspace.head(signal);
    const second = await workspace.commit(
      { startTree, startHead, subject: 'x', trailers: [] },
      signal,
    );
    expect(await loop.repo.git(...author, second.commit ?? '')).toBe(
      'Loopwright <loopwright@localhost> Loopwright <loopwright@localhost>',
    );
  });

  test('never prompts, signs or runs a hook, whatever the user has configured', async () => {
    await using loop = await loopHarness(async (repo) => {
      await repo.git('config', 'commit.gpgSign', 'true');
      await repo.git('config', 'gpg.program', '/bin/false');
      await repo.git('config', 'core.editor', 'sleep 600');
      for (const hook of [
        'pre-commit',
        'commit-msg',
        'reference-transaction',
        'post-index-change',
      ]) {
        await writeFileIn(repo.path, `.git/hooks/${hook}`, '#!/bin/sh\nexit 1\n');
        await chmod(path.join(repo.path, '.git/hooks', hook), 0o755);
      }
    });
    const { commit } = await loop.iterate(() => loop.write('a.txt', 'a\n'));
    expect(await filesOf(loop, commit)).toContain('a.txt');
  });

  test('leaves out what checks had left before the iteration, unless the agent touched it', async () => {
    await using loop = await loopHarness();
    await loop.write('coverage.txt', 'left by checks\n');
    await loop.write('touched.txt', 'left by checks\n');
    await loop.write('README.md', 'changed by checks\n');
    const { commit } = await loop.iterate(async () => {
      await loop.write('a.txt', 'a\n');
      await loop.write('touched.txt', 'and then by the agent\n');
    });
    expect(await filesOf(loop, commit)).toEqual([
      'README.md',
      'a.txt',
      'src/app.js',
      'touched.txt',
    ]);
    expect(await loop.repo.git('show', `${commit}:README.md`)).toBe('hello');
    expect(await loop.read('README.md')).toBe('changed by checks\n');
    expect(await loop.agent('status', '--porcelain')).toBe('M README.md\n?? coverage.txt');
    const next = await loop.iterate(async () => undefined);
    expect(next.commit).toBeNull();
  });

  test('respects the ignore files of the repository and of the user', async () => {
    await using loop = await loopHarness(async (repo) => {
      await repo.write('.gitignore', 'dist/\n');
      await repo.commitAll('ignore');
      await writeFileIn(repo.env['HOME'] ?? '', '.config/git/ignore', '*.swp\n');
    });
    const { commit } = await loop.iterate(async () => {
      await loop.write('dist/out.js', '1\n');
      await loop.write('a.swp', '1\n');
      await loop.write('a.txt', '1\n');
    });
    expect(await filesOf(loop, commit)).toEqual(['.gitignore', 'README.md', 'a.txt', 'src/app.js']);
  });

  test('is listed as a checkpoint with its iteration', async () => {
    await using loop = await loopHarness();
    const first = await loop.iterate(() => loop.write('a.txt', 'a\n'));
    const second = await loop.iterate(async () => {
      await loop.write('b.txt', 'b\n');
      await loop.agent('add', '--all');
      await loop.agent('commit', '--quiet', '-m', 'by the agent');
      await loop.write('c.txt', 'c\n');
    });
    const found = await loop.project.checkpoints('loopwright/loop-1', loop.spec.base, signal);
    expect(found).toEqual([
      { commit: first.commit, iteration: 1, subject: 'Iteration 1', timeMs: expect.any(Number) },
      {
        commit: expect.any(String),
        iteration: null,
        subject: 'by the agent',
        timeMs: expect.any(Number),
      },
      { commit: second.commit, iteration: 2, subject: 'Iteration 2', timeMs: expect.any(Number) },
    ]);
  });
});

describe('when the agent used git itself', () => {
  test('its own commits stay, and nothing is added when it left nothing', async () => {
    await using loop = await loopHarness();
    const result = await loop.iterate(async () => {
      await loop.write('a.txt', 'a\n');
      await loop.agent('add', '--all');
      await loop.agent('commit', '--quiet', '-m', 'mine');
    });
    const tip = await loop.repo.git('rev-parse', 'loopwright/loop-1');
    expect(result).toMatchObject({ commit: null, head: tip, repaired: [] });
    expect(await loop.repo.git('log', '-1', '--format=%s', tip)).toBe('mine');
  });

  test('what it reverted in the files after its own commit is reverted in ours', async () => {
    await using loop = await loopHarness();
    const { head } = await loop.iterate(async () => {
      await loop.write('README.md', 'v2\n');
      await loop.agent('commit', '--quiet', '-am', 'mine');
      await loop.write('README.md', 'hello\n');
    });
    expect(await loop.repo.git('show', `${head}:README.md`)).toBe('hello');
  });

  test('a half-staged index does not split the commit', async () => {
    await using loop = await loopHarness();
    const { commit } = await loop.iterate(async () => {
      await loop.write('a.txt', 'staged\n');
      await loop.agent('add', 'a.txt');
      await loop.write('a.txt', 'final\n');
    });
    expect(await loop.repo.git('show', `${commit}:a.txt`)).toBe('final');
    expect(await loop.agent('status', '--porcelain')).toBe('');
  });

  test('flags that hide a file from its index do not hide it from us', async () => {
    await using loop = await loopHarness();
    const { commit } = await loop.iterate(async () => {
      await loop.agent('update-index', '--assume-unchanged', 'README.md');
      await loop.agent('update-index', '--skip-worktree', 'src/app.js');
      await loop.write('README.md', 'hidden edit\n');
      await loop.write('src/app.js', 'hidden edit\n');
    });
    expect(await loop.repo.git('show', `${commit}:README.md`)).toBe('hidden edit');
    expect(await loop.repo.git('show', `${commit}:src/app.js`)).toBe('hidden edit');
  });

  test('commits on a branch of its own are brought to the loop’s branch', async () => {
    await using loop = await loopHarness();
    const { head, repaired } = await loop.iterate(async () => {
      await loop.agent('checkout', '--quiet', '-b', 'feature');
      await loop.write('a.txt', 'a\n');
      await loop.agent('add', '--all');
      await loop.agent('commit', '--quiet', '-m', 'on feature');
      await loop.write('b.txt', 'b\n');
    });
    expect(repaired).toEqual([
      'HEAD was on feature, brought back to loopwright/loop-1 with the files kept',
    ]);
    expect(await loop.agent('symbolic-ref', 'HEAD')).toBe('refs/heads/loopwright/loop-1');
    expect(await loop.repo.git('log', '--format=%s', `${loop.spec.base}..${head}`)).toBe(
      'Iteration 1\non feature',
    );
    expect(await loop.agent('status', '--porcelain')).toBe('');
  });

  test('a detached HEAD is attached again with its commits', async () => {
    await using loop = await loopHarness();
    const { head, repaired } = await loop.iterate(async () => {
      await loop.agent('checkout', '--quiet', '--detach');
      await loop.write('a.txt', 'a\n');
      await loop.agent('add', '--all');
      await loop.agent('commit', '--quiet', '-m', 'detached');
    });
    expect(repaired).toEqual([
      'HEAD was detached, brought back to loopwright/loop-1 with the files kept',
    ]);
    expect(await loop.repo.git('log', '-1', '--format=%s', 'loopwright/loop-1')).toBe('detached');
    expect(head).toBe(await loop.repo.git('rev-parse', 'loopwright/loop-1'));
  });

  test('an old commit checked out becomes a commit on top, with those files', async () => {
    await using loop = await loopHarness();
    const first = await loop.iterate(() => loop.write('a.txt', 'a\n'));
    const { head } = await loop.iterate(() => loop.agent('checkout', '--quiet', loop.spec.base));
    expect(await loop.repo.git('rev-parse', `${head}^`)).toBe(first.head);
    expect(await filesOf(loop, head)).toEqual(['README.md', 'src/app.js']);
  });

  test('a reset below the start keeps the earlier commits and the files', async () => {
    await using loop = await loopHarness();
    const first = await loop.iterate(() => loop.write('a.txt', 'a\n'));
    const { head, repaired } = await loop.iterate(async () => {
      await loop.agent('reset', '--quiet', '--hard', loop.spec.base);
      await loop.write('b.txt', 'b\n');
    });
    expect(repaired).toEqual([
      'branch loopwright/loop-1 had lost earlier commits, put back with the files kept',
    ]);
    expect(await loop.repo.git('rev-parse', `${head}^`)).toBe(first.head);
    expect(await filesOf(loop, head)).toEqual(['README.md', 'b.txt', 'src/app.js']);
    expect(await loop.repo.git('rev-parse', 'loopwright/loop-1')).toBe(head);
  });

  test('an amended earlier commit becomes a commit of its own', async () => {
    await using loop = await loopHarness();
    const first = await loop.iterate(() => loop.write('a.txt', 'a\n'));
    const { head } = await loop.iterate(async () => {
      await loop.write('a.txt', 'amended\n');
      await loop.agent('commit', '--quiet', '-a', '--amend', '-m', 'rewritten');
    });
    expect(await loop.repo.git('rev-parse', `${head}^`)).toBe(first.head);
    expect(await loop.repo.git('show', `${head}:a.txt`)).toBe('amended');
  });

  test('a deleted branch is made again, even after everything was pruned', async () => {
    await using loop = await loopHarness();
    const first = await loop.iterate(() => loop.write('a.txt', 'a\n'));
    const { head, repaired } = await loop.iterate(async () => {
      await loop.agent('checkout', '--quiet', '--detach', loop.spec.base);
      await loop.agent('branch', '-D', 'loopwright/loop-1');
      await loop.agent('reflog', 'expire', '--expire=now', '--all');
      await loop.agent('gc', '--quiet', '--prune=now');
      await loop.write('b.txt', 'b\n');
    });
    expect(repaired).toEqual([
      'branch loopwright/loop-1 had been deleted or damaged, made again',
      'HEAD was detached, brought back to loopwright/loop-1 with the files kept',
    ]);
    expect(await loop.repo.git('rev-parse', `${head}^`)).toBe(first.head);
    expect(await loop.repo.git('rev-parse', 'loopwright/loop-1')).toBe(head);
    expect(await filesOf(loop, head)).toEqual(['README.md', 'b.txt', 'src/app.js']);
  });

  test('a half merge ends where it stands, files kept', async () => {
    await using loop = await loopHarness();
    await loop.iterate(() => loop.write('README.md', 'loop\n'));
    await loop.repo.write('README.md', 'main\n');
    await loop.repo.commitAll('main moved');
    const { repaired, commit } = await loop.iterate(() =>
      loop.agent('merge', 'main').catch(() => undefined),
    );
    expect(repaired).toEqual(['unfinished merge ended, files kept']);
    expect(await loop.repo.git('show', `${commit}:README.md`)).toContain('<<<<<<<');
    expect(await loop.agent('status', '--porcelain')).toBe('');
  });

  test('a replaced .git, a broken HEAD, a broken index and stale locks are put right', async () => {
    await using loop = await loopHarness();
    const gitDir = path.join(loop.repo.path, '.git/worktrees/loop-1');
    const { repaired, commit } = await loop.iterate(async () => {
      await rm(path.join(loop.workspace.path, '.git'));
      await loop.repo.gitIn(loop.workspace.path, 'init', '--quiet');
      await writeFile(path.join(gitDir, 'HEAD'), 'garbage');
      await writeFile(path.join(gitDir, 'index'), 'garbage');
      await writeFile(path.join(gitDir, 'index.lock'), '');
      await writeFile(path.join(gitDir, 'commondir'), '/nowhere\n');
      await loop.write('a.txt', 'a\n');
    });
    expect(repaired).toEqual([
      'stale lock removed: index.lock',
      'link to the repository written again',
      'unreadable HEAD written again',
      '.git of the worktree had been replaced, put back',
    ]);
    expect(await filesOf(loop, commit)).toEqual(['README.md', 'a.txt', 'src/app.js']);
    expect(await loop.agent('status', '--porcelain', '--branch')).toBe('## loopwright/loop-1');
  });

  test('a worktree that is gone is named as such', async () => {
    await using loop = await loopHarness();
    const gone = { code: 'workspace.gone', hint: expect.any(String) };
    const iterating = loop.iterate(() => rm(loop.workspace.path, { recursive: true }));
    await expect(iterating).rejects.toMatchObject(gone);
    await expect(loop.workspace.snapshot(signal)).rejects.toMatchObject(gone);
  });
});
