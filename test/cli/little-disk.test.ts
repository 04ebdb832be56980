import { describe, expect, it } from 'vitest';
import { gitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';
import { memoryCli } from './memory-cli.ts';

const short = 'scheduler: { min-disk: 900tb, warn-disk: 901tb }\n';

describe('too little disk', () => {
  it('ends a run before anything is stored, and says what to do', async () => {
    await using repo = await gitRepo();
    await repo.write('loopwright.yml', short);
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const argv = ['--agent', 'command:true', '--validate', 'true', '--json'];
    const { exitCode, out } = await cli.run('run', 'x', ...argv);
    expect(exitCode).toBe(3);
    const { error } = JSON.parse(out);
    expect(error.code).toBe('disk.full');
    expect(error.message).toContain('scheduler.min-disk');
    expect(error.hint).toContain('--wait');
    const { out: tasks } = await cli.run('task', 'list', '--json');
    expect(tasks).not.toContain('"x"');
  });

  it.each([
    ['a further loop', 'command:sleep 1; echo a > a.txt', 'complete'],
    ['a further iteration', 'command:sleep 1', 'paused'],
  ])('starts %s no more when it comes to that later', async (_what, agent, status) => {
    await using repo = await gitRepo();
    const flags = { agent, validate: 'test -f a.txt' };
    await using project = await openedProject(repo, flags);
    const { store, ids, clock, slots } = project.engine;
    for (const title of ['one', 'two']) {
      await store.write((tx) => tx.tasks.add(ids.task(), { title, description: '' }, clock.now()));
    }
    const running = project.runReady();
    await project.seen('agent.started');
    slots.limits = { ...slots.limits, minDisk: 2 ** 60 };
    const { loops, full } = await running;
    expect(full).toContain('scheduler.min-disk');
    expect(loops.map((loop) => loop.status)).toEqual([status]);
    const counts = await store.read((tx) => tx.tasks.counts());
    expect(counts.ready).toBe(1);
  });
});
