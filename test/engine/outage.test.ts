import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Loop } from '../../src/core/loop/loop.ts';
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
import { openedProject, type TestProject } from '../support/opened-project.ts';
import { shows } from '../support/shows.ts';

async function expectUntouched({ engine }: TestProject, loop: Loop): Promise<void> {
  expect(loop.iterations).toHaveLength(1);
  expect(loop.iterations[0]).toMatchObject({ counted: true, number: 1, outcome: 'done' });
  expect(loop).toMatchObject({ consecutiveFailures: 0, errorStreak: 0 });
  const metrics = await engine.store.read((tx) => tx.attempts.metrics(loop.taskId));
  expect(metrics).toMatchObject({ totalAttempts: 1, consecutiveFailures: 0, stuck: false });
}

describe('a provider that is down', () => {
  it('is waited for by all its loops, probed by one at a time, and costs no attempt', async () => {
    shows('002.network-forever');
    await using repo = await gitRepo();
    const { agent, log, down } = await agentWith(repo);
    await writeFile(down, '');
    await using project = await openedProject(repo, { agent, validate, ...pace });
    await addTasks(project, 3);
    const running = project.runReady({ jobs: 3 });
    await waitingFor(project)(3);
    const before = (await starts(log)).length;
    await until(async () => (await starts(log)).length >= before + 3);
    const probes = (await starts(log)).slice(before).map(([loop]) => loop);
    expect(new Set(probes.slice(0, 3)).size).toBeGreaterThan(1);
    await rm(down);
    const { loops } = await running;
    expect(loops.map(({ status }) => status)).toEqual(['complete', 'complete', 'complete']);
    for (const loop of loops) await expectUntouched(project, loop);
    const all = await starts(log);
    expect(all.filter(([, state]) => state === 'up')).toHaveLength(3);
    const told = project.live.flatMap((event) => (event.kind === 'outage' ? [event] : []));
    expect(told.at(-1)).toMatchObject({ isOver: true });
    expect(await readOutages(project.engine)).toEqual([]);
  });

  it('leaves the work of other providers alone, is given up in the end, and is tried again by the next run', async () => {
    await using repo = await gitRepo();
    const { log, down } = await agentWith(repo);
    await writeFile(down, '');
    // The agent is that of the file, so that a loop type may have another.
    const flags = { validate, ...pace, 'max-outage': '3s' };
    let paused: readonly Loop[];
    {
      await using project = await openedProject(repo, flags);
      await addTasks(project, 2);
      await project.engine.store.write((tx) =>
        tx.tasks.add('t-00000001', { title: 'b', description: '', type: 'other' }, 1),
      );
      paused = (await project.runReady({ jobs: 2 })).loops;
      const other = paused.find(({ taskId }) => taskId === 't-00000001');
      expect(other?.status).toBe('complete');
      const rest = paused.filter((loop) => loop !== other);
      expect(rest.map(({ status, reason }) => [status, reason])).toEqual([
        ['paused', 'outage'],
        ['paused', 'outage'],
      ]);
      for (const loop of rest) {
        expect(loop.iterations.map(({ counted }) => counted)).toEqual([false]);
        expect(loop.activeMs).toBeLessThan(loop.updatedAt - loop.createdAt - 1000);
      }
    }
    await rm(down);
    await using project = await openedProject(repo, flags);
    const { loops } = await project.runReady({ jobs: 2 });
    expect(loops.map(({ status }) => status)).toEqual(['complete', 'complete']);
    for (const loop of loops) {
      expect(loop.iterations.map(({ counted }) => counted)).toEqual([false, true]);
      expect(loop.consecutiveFailures).toBe(0);
      const { id } = loop;
      const prompt = await readFile(
        path.join(repo.path, '.loopwright', 'loops', id, 'iterations', '2', 'prompt.md'),
        'utf8',
      ).catch(() => '');
      expect(prompt).not.toMatch(/529|Overloaded|Previous Attempts/);
    }
    expect((await starts(log)).filter(([, state]) => state === 'up')).toHaveLength(2);
  });

  it('is shared by two engines, survives their restart, and is probed by one of them', async () => {
    await using repo = await gitRepo();
    const { agent, log, down } = await agentWith(repo);
    await writeFile(down, '');
    const flags = { agent, validate, ...pace, 'probe-delay': '1s', 'max-probe-delay': '1s' };
    let since: number | undefined;
    {
      await using first = await openedProject(repo, flags);
      await using second = await openedProject(repo, flags);
      await addTasks(first, 1);
      const one = first.runReady();
      await waitingFor(first)(1);
      const before = (await starts(log)).length;
      const two = second.runText('in the other engine');
      await waitingFor(first)(2);
      await until(async () => (await starts(log)).length >= before + 2);
      since = (await readOutages(first.engine))[0]?.since;
      first.control.interrupt('cut');
      second.control.interrupt('cut');
      expect((await one).loops[0]).toMatchObject({ status: 'paused', reason: 'interrupted' });
      expect(await two).toMatchObject({ status: 'paused', reason: 'interrupted' });
    }
    // Left by an agent that was cut short.
    await rm(`${log}.busy`, { recursive: true, force: true });
    await using third = await openedProject(repo, flags);
    const running = third.runReady({ jobs: 2 });
    await waitingFor(third)(2);
    expect((await readOutages(third.engine))[0]?.since).toBe(since);
    await rm(down);
    const { loops } = await running;
    expect(loops.map(({ status }) => status)).toEqual(['complete', 'complete']);
    expect((await starts(log)).some(([, , both]) => both === 'both')).toBe(false);
  });

  it('is not suspected when the request itself is refused', async () => {
    await using repo = await gitRepo();
    const { agent } = await agentWith(repo, 404);
    await writeFile(path.join(repo.outside, 'down'), '');
    const flags = { agent, validate, 'error-backoff': '1ms', 'max-consecutive-errors': 2 };
    await using project = await openedProject(repo, flags);
    const loop = await project.runText('a model nobody knows');
    expect(loop).toMatchObject({ status: 'failed', reason: 'errors' });
    expect(loop.iterations.map(({ tries }) => tries)).toEqual([1, 1]);
    expect(await readOutages(project.engine)).toEqual([]);
  });
});

describe('a provider that nobody is signed in with', () => {
  it('is closed for the run with one word, its other tasks are not begun, and the next run goes on by itself', async () => {
    await using repo = await gitRepo();
    const { agent, log, down } = await agentWith(repo, 401);
    await writeFile(down, '');
    {
      await using project = await openedProject(repo, { agent, validate });
      await addTasks(project, 4);
      const { loops } = await project.runReady();
      expect(loops.map(({ status, reason }) => [status, reason])).toEqual([['blocked', 'auth']]);
      expect(loops[0]).toMatchObject({ consecutiveFailures: 0, errorStreak: 0, progress: [] });
      expect(loops[0]?.text).toMatch(/wants a sign-in \(.*, then `loopwright run`/);
      const notices = project.live.flatMap((event) =>
        event.kind === 'notice' && event.text.includes('sign-in') ? [event.text] : [],
      );
      expect(notices).toHaveLength(2);
      expect(notices[1]).toContain('3 more wait for the same sign-in and were not begun');
      const counts = await project.engine.store.read((tx) => tx.tasks.counts());
      expect(counts).toMatchObject({ blocked: 1, pending: 3, ready: 3 });
    }
    expect(await starts(log)).toHaveLength(1);
    await rm(down);
    await using project = await openedProject(repo, { agent, validate });
    const { loops } = await project.runReady({ jobs: 2 });
    expect(loops.map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => 'complete'));
    expect(loops.some(({ iterations }) => iterations.length === 2)).toBe(true);
  });
});
