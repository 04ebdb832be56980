import { existsSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { withoutLimit } from '../../src/engine/without-limit.ts';
import type { LiveEvent } from '../../src/ports/live.ts';
import { gitRepo } from '../support/git-repo.ts';
import { leftoverViolations } from '../support/invariants.ts';
import { openedProject, type TestProject } from '../support/opened-project.ts';

const flags = { agent: 'command:echo x > work.txt', validate: 'test -f work.txt' };
const isFull = process.env['LOOPWRIGHT_TEST_FULL'] === '1';

/** The next removals fail, as on a disk that answers too late; says which signals they were given. */
function breakRemoval({ engine }: TestProject, times: number): readonly AbortSignal[] {
  const signals: AbortSignal[] = [];
  const remove = engine.project.removeWorkspace.bind(engine.project);
  let left = times;
  Object.assign(engine.project, {
    removeWorkspace(...[spec, signal]: Parameters<typeof remove>) {
      signals.push(signal);
      if (left-- > 0) return Promise.reject(new Error('device or resource busy'));
      return remove(spec, signal);
    },
  });
  return signals;
}

const notices = (live: readonly LiveEvent[]) =>
  live.flatMap((event) => (event.kind === 'notice' ? [event.text] : []));

describe('a worktree that cannot be removed now', () => {
  it.each(['local', 'none'] as const)(
    'costs the loop nothing, and the next run removes it (merge: %s)',
    async (merge) => {
      await using repo = await gitRepo();
      await repo.git('switch', '--quiet', '-c', 'elsewhere');
      await using project = await openedProject(repo, { ...flags, merge, base: 'main' });
      breakRemoval(project, 1);
      const loop = await project.runText('do it');
      expect(loop.status).toBe('complete');
      expect(loop.mergedInto).toBe(merge === 'local' ? 'main' : null);
      const task = await project.engine.store.read((tx) => tx.tasks.get(loop.taskId));
      expect(task?.status).toBe('done');
      expect(notices(project.live).join('\n')).toContain('the next run tries again');
      expect(existsSync(loop.workspace.path)).toBe(true);

      const { loops } = await project.runReady();
      expect(loops.map(({ id }) => id)).toEqual([loop.id]);
      const kept = merge === 'local' ? [] : [loop.id];
      expect(await leftoverViolations(repo, { branches: kept })).toEqual([]);
      expect((await project.runReady()).loops).toEqual([]);
    },
  );

  it('is not given up by a clock', async () => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, flags);
    const limited = vi.spyOn(AbortSignal, 'timeout');
    const signals = breakRemoval(project, 0);
    await project.runText('do it');
    const timers = limited.mock.results.map(({ value }) => value);
    expect(signals.length).toBeGreaterThan(0);
    expect(signals.filter((signal) => timers.includes(signal))).toEqual([]);
  });
});

describe('removing for long', () => {
  it('is said, and again after a while', async () => {
    let now = 0;
    const told: string[] = [];
    const done = Promise.withResolvers<void>();
    const clock = {
      now: () => 0,
      monotonic: () => now,
      async sleep(ms: number, signal: AbortSignal) {
        now += ms;
        if (now > 200_000) done.resolve();
        await new Promise((resolve) => setImmediate(resolve));
        signal.throwIfAborted();
      },
    };
    const publish = (event: LiveEvent) => event.kind === 'notice' && told.push(event.text);
    await withoutLimit({ clock, publish }, 'removing it', () => done.promise);
    expect(told.slice(0, 3)).toEqual([
      'removing it takes long: 10 s so far',
      'removing it takes long: 70 s so far',
      'removing it takes long: 130 s so far',
    ]);
  });

  it('thousands of files are removed with their loop', async () => {
    await using repo = await gitRepo();
    await repo.git('switch', '--quiet', '-c', 'elsewhere');
    const count = isFull ? 50_000 : 5000;
    const many = `mkdir -p junk && cd junk && seq ${count} | xargs touch && cd .. && echo junk > .gitignore`;
    const agent = `command:${many} && echo x > work.txt`;
    await using project = await openedProject(repo, {
      ...flags,
      agent,
      merge: 'local',
      base: 'main',
    });
    const loop = await project.runText('do it');
    expect([loop.status, loop.mergedInto]).toEqual(['complete', 'main']);
    expect(await leftoverViolations(repo, { branches: [] })).toEqual([]);
  }, 300_000);
});
