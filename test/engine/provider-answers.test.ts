import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { memoryCli } from '../cli/memory-cli.ts';
import { readOutages } from '../../src/engine/outages.ts';
import {
  addTasks,
  agentWith,
  pace,
  starts,
  until,
  validate,
  waitingFor,
} from '../support/failing-provider.ts';
import { gitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';

describe('a provider that was down and answers with a refusal', () => {
  it('wants a sign-in: the outage is over, and nothing is said to go on', async () => {
    await using repo = await gitRepo();
    const { agent, down } = await agentWith(repo);
    await writeFile(down, '529');
    await using project = await openedProject(repo, { agent, validate, ...pace });
    await addTasks(project, 2);
    const running = project.runReady({ jobs: 2 });
    await waitingFor(project)(2);
    await writeFile(down, '401');
    const { loops } = await running;
    expect(loops.map(({ status, reason }) => [status, reason])).toEqual([
      ['blocked', 'auth'],
      ['blocked', 'auth'],
    ]);
    expect(await readOutages(project.engine)).toEqual([]);
    const told = project.live.filter((event) => event.kind === 'outage' && event.isOver);
    expect(told).toEqual([]);
    for (const { iterations } of loops)
      expect(iterations.filter(({ counted }) => counted)).toEqual([]);
  });

  it('has its usage window used up: that is what its loops wait for', async () => {
    await using repo = await gitRepo();
    const { agent, log, down } = await agentWith(repo);
    await writeFile(down, '529');
    await using project = await openedProject(repo, { agent, validate, ...pace });
    await addTasks(project, 2);
    const running = project.runReady({ jobs: 2 });
    await waitingFor(project)(2);
    await writeFile(down, '429\nreset 3600\n');
    await until(async () => (await readOutages(project.engine)).length === 0);
    const limited = () =>
      project.engine.slots.queue.places.some(({ obstacle }) => obstacle.kind === 'usage-limit');
    await until(async () => limited());
    const before = (await starts(log)).length;
    project.control.interrupt('cut');
    await running;
    expect(await starts(log)).toHaveLength(before);
  });
});

describe('a usage window that is used up', () => {
  it('is known to an engine that starts later: nothing of the provider is begun before its reset', async () => {
    await using repo = await gitRepo();
    const { agent, log, down } = await agentWith(repo);
    await writeFile(down, '429\nreset 3600\n');
    await using first = await openedProject(repo, { agent, validate });
    await addTasks(first, 1);
    const one = first.runReady();
    await first.seen('loop.waiting');
    await addTasks(first, 1);
    await using second = await openedProject(repo, { agent, validate });
    const two = second.runReady();
    const obstacles = () => second.engine.slots.queue.places.map(({ obstacle }) => obstacle.kind);
    await until(async () => obstacles().length > 0 || (await starts(log)).length > 1);
    expect(obstacles()).toEqual(['usage-limit']);
    expect(await starts(log)).toHaveLength(1);
    first.control.interrupt('cut');
    second.control.interrupt('cut');
    await Promise.all([one, two]);
  });
});

describe('tasks behind a loop that the next run goes on with', () => {
  it('do not make a person of it: an outage that was given up ends the run with exit 4', async () => {
    await using repo = await gitRepo();
    const { agent, down } = await agentWith(repo);
    await writeFile(down, '');
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    await cli.run('task', 'add', 'first');
    await cli.run('task', 'add', 'second', '--after', 'first');
    const flags = ['--agent', agent, '--validate', validate, '--max-outage', '1s'];
    const slow = ['--probe-delay', '400ms', '--api-retries', '0'];
    const { exitCode, err } = await cli.run('run', ...flags, ...slow);
    expect(exitCode, err).toBe(4);
    expect(err).not.toContain('waits behind a failed or blocked one');
  });

  it('are told what goes on with them when a budget has stopped it', async () => {
    await using repo = await gitRepo();
    await repo.write(
      'agent.yml',
      'iterations:\n  - steps:\n      - usage: { input: 100, output: 10, cost-usd: 0.1 }\n    final: more\n',
    );
    await repo.commitAll('agent');
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    await cli.run('task', 'add', 'first');
    await cli.run('task', 'add', 'second', '--after', 'first');
    const flags = ['--agent', 'scripted:agent.yml', '--validate', 'test -f never.txt'];
    const { exitCode, err } = await cli.run('run', ...flags, '--max-run-cost-usd', '0.05');
    expect(exitCode, err).toBe(5);
    expect(err).toContain(
      'is used up; there is more to do: `loopwright run` continues with a new budget',
    );
    expect(err).not.toContain('waits behind a failed or blocked one');
  });
});

describe('the time of a run', () => {
  it('ends it also while everything waits for a provider', async () => {
    await using repo = await gitRepo();
    const { agent, down } = await agentWith(repo);
    await writeFile(down, '');
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    for (const title of ['first', 'second', 'third']) await cli.run('task', 'add', title);
    const flags = ['--agent', agent, '--validate', validate, '--jobs', '2', '--api-retries', '0'];
    const slow = ['--probe-delay', '5m'];
    const { exitCode, err } = await cli.run('run', ...flags, ...slow, '--max-run-duration', '4s');
    expect(exitCode, err).toBe(5);
    expect(err).toContain('time budget of the run');
    await using project = await openedProject(repo, {});
    const rows = await project.engine.store.read((tx) => tx.loops.list({}));
    expect(rows.length).toBeGreaterThan(0);
    const rests = new Set(rows.map(({ status, reason }) => `${status} ${reason}`));
    expect(rests).toEqual(new Set(['stopped budget']));
    const metrics = await project.engine.store.read((tx) =>
      tx.attempts.metrics(rows[0]?.taskId ?? ''),
    );
    expect(metrics?.consecutiveFailures ?? 0).toBe(0);
  }, 30_000);
});
