import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { mergeLoop } from '../../src/engine/merge-loop.ts';
import { startSession } from '../../src/engine/session.ts';
import { digestUser, gitRepo } from '../support/git-repo.ts';
import type { GitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';
import type { TestProject } from '../support/opened-project.ts';

const flags = { agent: 'command:echo done > work.txt', validate: 'test -f work.txt' };

async function merge(project: TestProject, loopId: string) {
  const session = await startSession(project.engine, 'command');
  return mergeLoop(project.engine, session, loopId);
}

async function makeDirty(repo: GitRepo): Promise<void> {
  await repo.write('README.md', 'edited\n');
  await repo.write('staged.txt', 'staged\n');
  await repo.git('add', 'staged.txt');
  await repo.write('untracked.txt', 'untracked\n');
}

describe('what a merge leaves as it was (I6)', () => {
  it.each(['index.lock', 'refs/heads/main.lock'])(
    'a checkout under %s: refused, the lock is kept, and later it works',
    async (lock) => {
      await using repo = await gitRepo();
      await using project = await openedProject(repo, flags);
      const loop = await project.runText('merge later');
      await repo.write(`.git/${lock}`, '');
      const before = await digestUser(repo);
      const refused = { code: 'git.locked', message: expect.stringContaining(lock) };
      await expect(merge(project, loop.id)).rejects.toMatchObject(refused);
      expect(await digestUser(repo)).toEqual(before);
      expect(existsSync(path.join(repo.path, '.git', lock))).toBe(true);
      await rm(path.join(repo.path, '.git', lock));
      expect((await merge(project, loop.id)).mergedInto).toBe('main');
      expect(await repo.git('status', '--porcelain')).toBe('');
    },
  );

  it('a dirty checkout of another branch: only the ref of the base moves', async () => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, flags);
    const loop = await project.runText('elsewhere');
    await repo.git('switch', '-qc', 'mine');
    await makeDirty(repo);
    const [before, main] = [await digestUser(repo), await repo.git('rev-parse', 'main')];
    await merge(project, loop.id);
    expect(await repo.git('rev-parse', 'main')).toBe(loop.head);
    await repo.git('update-ref', 'refs/heads/main', main);
    expect(await digestUser(repo)).toEqual(before);
  });

  it.each([
    ['dirty', makeDirty, 'git.dirty'],
    ['with a file in the way', (repo: GitRepo) => repo.write('work.txt', 'mine\n'), 'git.dirty'],
  ])('a checkout that is %s: refused', async (_, prepare, code) => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, flags);
    const loop = await project.runText('refused');
    await prepare(repo);
    const before = await digestUser(repo);
    await expect(merge(project, loop.id)).rejects.toMatchObject({ code });
    expect(await digestUser(repo)).toEqual(before);
    expect(await repo.git('rev-parse', loop.workspace.branch ?? '')).toBe(loop.head);
  });

  it('a base that conflicts: refused', async () => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, flags);
    const loop = await project.runText('conflict');
    await repo.write('work.txt', 'theirs\n');
    await repo.commitAll('theirs');
    const before = await digestUser(repo);
    await expect(merge(project, loop.id)).rejects.toMatchObject({ code: 'git.conflict' });
    expect(await digestUser(repo)).toEqual(before);
  });
});

describe('what recovery leaves as it was (I6)', () => {
  it('a dirty checkout, after an iteration was cut and its worktree was damaged', async () => {
    await using repo = await gitRepo();
    await makeDirty(repo);
    const before = await digestUser(repo);
    const agent = [
      'echo "$LOOPWRIGHT_ITERATION" >> work.txt',
      'if test "$LOOPWRIGHT_ITERATION" = 1; then touch started; sleep 300; fi',
    ].join('; ');
    const resumed = { agent: `command:${agent}`, validate: 'test "$(wc -l < work.txt)" -ge 2' };
    await using project = await openedProject(repo, { ...resumed, sandbox: 'worktree' });
    const running = project.runText('cut');
    await project.seen('agent.started');
    const [known] = await project.engine.store.read((tx) => tx.loops.list({}));
    const worktree = path.join(repo.path, '.loopwright/worktrees', known?.id ?? '');
    while (!existsSync(path.join(worktree, 'started')))
      await new Promise((resolve) => setTimeout(resolve, 10));
    project.control.interrupt('cut');
    expect((await running).status).toBe('paused');
    const gitDir = path.join(repo.path, '.git/worktrees', known?.id ?? '');
    await repo.write(path.relative(repo.path, path.join(gitDir, 'index.lock')), '');
    await repo.write(path.relative(repo.path, path.join(gitDir, 'HEAD')), 'garbage');
    await rm(path.join(worktree, '.git'));
    await using again = await openedProject(repo, { ...resumed, sandbox: 'worktree' });
    const loop = await again.resume(known?.id ?? '');
    expect(loop).toMatchObject({ status: 'complete', warnings: [] });
    expect(await digestUser(repo)).toEqual(before);
  });
});
