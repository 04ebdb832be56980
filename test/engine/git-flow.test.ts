import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { mergeLoop } from '../../src/engine/merge-loop.ts';
import { startSession } from '../../src/engine/session.ts';
import { gitRepo } from '../support/git-repo.ts';
import { openedProject, type TestProject } from '../support/opened-project.ts';
import { tempDir } from '../support/temp-dir.ts';
import { shows } from '../support/shows.ts';

async function merge(project: TestProject, loopId: string) {
  const session = await startSession(project.engine, 'command');
  return mergeLoop(project.engine, session, loopId);
}

describe('a base branch that moves while a loop works', () => {
  it('is rebased onto at the boundary, and judged anew', async () => {
    shows('002.main-updated');
    await using repo = await gitRepo();
    // The first iteration plays the colleague who pushes to main.
    const agent = [
      'echo "$LOOPWRIGHT_ITERATION" >> work.txt',
      `test "$LOOPWRIGHT_ITERATION" = 1 && (unset GIT_TRACE2_EVENT; cd ${repo.path} && echo news > news.txt && git add news.txt && git commit -qm news)`,
      'true',
    ].join('; ');
    const flags = {
      agent: `command:${agent}`,
      validate: 'test "$(wc -l < work.txt)" -ge 2',
      'watch-interval': '0',
    };
    await using project = await openedProject(repo, flags);
    const loop = await project.runText('work on moving ground');
    expect(loop.status).toBe('complete');
    const types = await project.engine.store.read(async (tx) =>
      (await tx.loops.events(loop.id, 0, 1000)).map(({ event }) => event.type),
    );
    expect(types).toContain('rebase.ended');
    expect(types.filter((type) => type === 'baseline.recorded')).toHaveLength(2);
    expect(await repo.git('merge-base', 'main', loop.workspace.branch ?? '')).toBe(
      await repo.git('rev-parse', 'main'),
    );
  });

  it('blocks on a conflict with the files named, and leaves no half rebase', async () => {
    shows('002.main-conflict', '002.status-blocked', '002.conflict-needs-person');
    await using repo = await gitRepo();
    const agent = [
      'echo mine > README.md',
      `test "$LOOPWRIGHT_ITERATION" = 1 && (unset GIT_TRACE2_EVENT; cd ${repo.path} && echo theirs > README.md && git commit -qam theirs)`,
      'true',
    ].join('; ');
    const flags = { agent: `command:${agent}`, validate: 'false', 'watch-interval': '0' };
    await using project = await openedProject(repo, flags);
    const loop = await project.runText('conflict');
    expect(loop).toMatchObject({ status: 'blocked', reason: 'conflict' });
    expect(loop.text).toContain('README.md');
    expect(await repo.git('show', `${loop.workspace.branch}:README.md`)).toBe('mine');
  });
});

describe('merging a complete loop', () => {
  const flags = { agent: 'command:echo done > work.txt', validate: 'test -f work.txt' };

  it('fast-forwards a clean checkout with its files and removes the branch', async () => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, flags);
    const loop = await project.runText('merge me');
    const merged = await merge(project, loop.id);
    expect(merged.mergedInto).toBe('main');
    expect(await readFile(path.join(repo.path, 'work.txt'), 'utf8')).toBe('done\n');
    expect(await repo.git('status', '--porcelain')).toBe('');
    expect(await repo.git('branch', '--list', 'loopwright/*')).toBe('');
  });

  it('rebases and verifies again when the base moved', async () => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, flags);
    const loop = await project.runText('merge me later');
    await repo.write('other.txt', 'other');
    await repo.commitAll('other');
    await merge(project, loop.id);
    expect(await repo.git('log', '--format=%s', '-2')).toContain('other');
    expect(existsSync(path.join(repo.path, 'work.txt'))).toBe(true);
    const evidence = 'confirm-merge-base-judge/validation.stdout.log';
    const { artifacts } = project.engine;
    expect(existsSync(path.join(artifacts.loopDir(loop.id), evidence))).toBe(true);
  });

  it('refuses when the checks no longer pass on the moved base, and changes nothing', async () => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, {
      ...flags,
      validate: 'test -f work.txt && test ! -f stop.txt',
    });
    const loop = await project.runText('merge red');
    await repo.write('stop.txt', 'stop');
    const head = await repo.commitAll('stop');
    await expect(merge(project, loop.id)).rejects.toMatchObject({ code: 'merge.red' });
    expect(await repo.git('rev-parse', 'main')).toBe(head);
    expect(await repo.git('branch', '--list', 'loopwright/*')).toContain(loop.id);
  });

  it('refuses to touch a dirty checkout', async () => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, flags);
    const loop = await project.runText('merge onto dirt');
    await writeFile(path.join(repo.path, 'README.md'), 'dirty\n');
    await expect(merge(project, loop.id)).rejects.toMatchObject({ code: 'git.dirty' });
    expect(await readFile(path.join(repo.path, 'README.md'), 'utf8')).toBe('dirty\n');
  });

  it('happens by itself with merge: local', async () => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, { ...flags, merge: 'local' });
    const loop = await project.runText('merge by itself');
    expect(loop).toMatchObject({ status: 'complete', mergedInto: 'main' });
    expect(existsSync(path.join(repo.path, 'work.txt'))).toBe(true);
  });
});

describe('where a loop works', () => {
  it('brings ignored files into the worktree and runs the setup once', async () => {
    await using repo = await gitRepo();
    await repo.write('.gitignore', 'deps/\n.env.test\nbuilt.txt\n');
    await repo.commitAll('ignore');
    await mkdir(path.join(repo.path, 'deps'));
    await repo.write('deps/lib.txt', 'lib');
    await repo.write('.env.test', 'KEY=1');
    await repo.write(
      'loopwright.yml',
      'workspace:\n  link: [deps]\n  copy: [.env.test]\n  setup: echo built >> built.txt\n',
    );
    await repo.commitAll('config');
    const validate =
      'test -f deps/lib.txt && test -f .env.test && test "$(wc -l < built.txt)" = 1 && test -f work.txt';
    await using project = await openedProject(repo, {
      agent: 'command:echo x > work.txt',
      validate,
    });
    const loop = await project.runText('with dependencies');
    expect(loop.status).toBe('complete');
    expect(
      await repo.git('ls-tree', '-r', '--name-only', loop.workspace.branch ?? ''),
    ).not.toContain('deps');
  });

  it('works in the checkout itself with --in-place, and refuses a dirty one', async () => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, {
      agent: 'command:echo x > work.txt',
      validate: 'test -f work.txt',
    });
    const loop = await project.runText('here', { inPlace: true });
    expect(loop.status).toBe('complete');
    expect(await repo.git('log', '-1', '--format=%s')).toContain('Iteration 1');
    await writeFile(path.join(repo.path, 'README.md'), 'dirty');
    await expect(project.runText('here again', { inPlace: true })).rejects.toMatchObject({
      code: 'git.dirty',
    });
  });

  it('works in a folder without git, one file change at a time', async () => {
    await using dir = await tempDir();
    const folder = { path: dir.path, env: { PATH: process.env['PATH'] ?? '', HOME: dir.path } };
    await writeFile(path.join(dir.path, 'a.txt'), 'a');
    const flags = { agent: 'command:echo x >> b.txt', validate: 'test "$(wc -l < b.txt)" -ge 2' };
    await using project = await openedProject(folder, flags);
    const loop = await project.runText('no git');
    expect(loop.status).toBe('complete');
    expect(loop.iterations.map(({ changes }) => [changes?.created, changes?.modified])).toEqual([
      [['b.txt'], []],
      [[], ['b.txt']],
    ]);
  });

  it('puts protected paths back before anything is judged (I7)', async () => {
    await using repo = await gitRepo();
    await repo.write('loopwright.yml', 'validation:\n  command: test -f work.txt\n');
    await repo.commitAll('config');
    const agent =
      'command:echo "validation: {command: \'true\'}" > loopwright.yml; echo x >> other.txt';
    await using project = await openedProject(repo, { agent, 'max-iterations': 2 });
    const loop = await project.runText('edit the judge');
    expect(loop.status).toBe('failed');
    expect(loop.iterations[0]?.restored).toEqual(['loopwright.yml']);
    expect(await repo.git('show', `${loop.workspace.branch}:loopwright.yml`)).toContain(
      'test -f work.txt',
    );
  });

  it('does not take what checks leave behind for the work of the agent', async () => {
    await using repo = await gitRepo();
    const validate = 'echo report >> report.txt; exit 1';
    await using project = await openedProject(repo, {
      agent: 'command:true',
      validate,
      'max-iterations': 2,
    });
    const loop = await project.runText('idle agent');
    expect(
      loop.iterations.map(({ changes, commit }) => [changes?.created, changes?.modified, commit]),
    ).toEqual([
      [[], [], null],
      [[], [], null],
    ]);
    expect(loop.iterations.some(({ differsFromBase }) => differsFromBase)).toBe(false);
  });
});
