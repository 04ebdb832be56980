import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FlagValues } from '../../src/core/config/flags.ts';
import type { Loop } from '../../src/core/loop/loop.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { openedProject, type TestProject } from '../support/opened-project.ts';

const neverPasses = {
  agent: 'command:echo x >> n.txt',
  validate: 'false',
  'error-backoff': '1ms',
  'max-iterations': 6,
};

async function withStops(
  repo: GitRepo,
  stop: readonly unknown[],
  flags: FlagValues = {},
): Promise<TestProject> {
  await repo.write('loopwright.yml', `stop: ${JSON.stringify(stop)}\n`);
  await repo.commitAll('conditions');
  return openedProject(repo, { ...neverPasses, ...flags });
}

async function runWith(stop: readonly unknown[], flags: FlagValues = {}): Promise<Loop> {
  await using repo = await gitRepo();
  await using project = await withStops(repo, stop, flags);
  return await project.runText('work');
}

const oneOfTwoTests = `printf 'TAP version 13\\n1..2\\nok 1 - a\\nnot ok 2 - b\\n'; false`;

async function askToStop(project: TestProject): Promise<void> {
  await project.seen('agent.started');
  const { engine } = project;
  const [row] = await engine.store.read((tx) => tx.loops.list({ limit: 1 }));
  const request = { loopId: row!.id, kind: 'stop', when: 'finish' } as const;
  const now = engine.clock.now();
  await engine.store.write((tx) => tx.requests.add({ id: engine.ids.token(), ...request, now }));
}

describe('a stop condition is judged with the iteration it is about', () => {
  it.each<[string, unknown, FlagValues, number]>([
    ['max-iterations: 2 runs 2', { on: 'max-iterations', value: 2 }, {}, 2],
    ['no-progress: 2 runs 2', { on: 'no-progress', value: 2 }, { agent: 'command:true' }, 2],
    [
      'test-failure-streak: 3 runs 3',
      { on: 'test-failure-streak', value: 3 },
      { validate: oneOfTwoTests },
      3,
    ],
    [
      'test-failure-streak: 2 counts a failed check that prints no test results',
      { on: 'test-failure-streak', value: 2 },
      {},
      2,
    ],
    ['on-error runs 1', { on: 'on-error' }, { agent: 'command:exit 7' }, 1],
    [
      'on-error with a pattern that matches',
      { on: 'on-error', pattern: 'code 7' },
      { agent: 'command:exit 7' },
      1,
    ],
  ])('%s', async (_name, condition, flags, count) => {
    const loop = await runWith([condition], flags);
    expect(loop).toMatchObject({ status: 'failed', reason: 'strategy_stop' });
    expect(loop.iterations).toHaveLength(count);
    expect(loop.iterations.at(-1)?.decision?.source).toBe('stop-condition');
  });

  it('on-error is not met by other errors, nor by an agent that ends well', async () => {
    const other = [{ on: 'on-error', pattern: 'code 8' }];
    const flags = { 'max-iterations': 2, 'no-progress-limit': 0 };
    const loop = await runWith(other, { ...flags, agent: 'command:exit 7' });
    expect(loop).toMatchObject({ reason: 'max_iterations' });
    expect(await runWith([{ on: 'on-error' }], flags)).toMatchObject({ reason: 'max_iterations' });
  });

  it('max-duration counts the time of the checks of this iteration', async () => {
    const loop = await runWith([{ on: 'max-duration', value: '1s' }], {
      validate: 'test -e n.txt || exit 1; sleep 1.2; false',
    });
    expect(loop.iterations).toHaveLength(1);
    expect(loop).toMatchObject({ status: 'failed', reason: 'strategy_stop' });
  });
});

describe('a configured delay', () => {
  it('is part of the time of a loop', async () => {
    const flags = { 'iteration-delay': '700ms', 'max-iterations': 20 };
    const loop = await runWith([{ on: 'max-duration', value: '2s' }], flags);
    expect(loop).toMatchObject({ status: 'failed', reason: 'strategy_stop' });
    expect(loop.iterations.length).toBeLessThan(5);
  });
});

describe('what a script of a stop condition writes', () => {
  it('is put back: it is not progress, is in no commit, and its writer is named', async () => {
    await using repo = await gitRepo();
    await repo.write('kept.txt', 'as it was\n');
    const command = 'date +%N >> evil.txt; date +%N >> kept.txt; exit 1';
    const flags = { agent: 'command:true', 'no-progress-limit': 2, 'max-iterations': 8 };
    await using project = await withStops(repo, [{ on: 'script', command }], flags);
    const loop = await project.runText('work');
    expect(loop).toMatchObject({ status: 'failed', reason: 'no_progress' });
    expect(loop.iterations).toHaveLength(2);
    expect(await repo.git('log', '--all', '--format=', '--name-only')).not.toContain('evil.txt');
    expect(loop.warnings).toContain(
      'scripts of stop conditions changed files of the work, which were put back: kept.txt',
    );
  });
});

describe('no-progress-limit: 0', () => {
  it('turns off the end for want of progress, and leaves the one for going round in circles', async () => {
    const flip = 'command:if [ -e a ]; then rm a; touch b; else rm -f b; touch a; fi';
    const loop = await runWith([], { agent: flip, 'no-progress-limit': 0, 'max-iterations': 20 });
    expect(loop).toMatchObject({ status: 'failed', reason: 'stuck' });
  });
});

describe('looks at stop conditions', () => {
  it('run side by side, once for each iteration, and keep the output of each', async () => {
    await using repo = await gitRepo();
    const script = (name: string) => ({
      on: 'script',
      command: `echo ${name} >> '${repo.outside}/looked'; echo ${name}; sleep 2; false`,
    });
    const stops = ['a', 'b', 'c', 'd'].map(script);
    await using project = await withStops(repo, stops, { 'max-iterations': 1 });
    const started = performance.now();
    await project.runText('work');
    expect(performance.now() - started).toBeLessThan(7000);
    const looked = await readFile(path.join(repo.outside, 'looked'), 'utf8');
    expect(looked.trim().split('\n').toSorted()).toEqual(['a', 'b', 'c', 'd']);
    const { loops } = await project.engine.store.read(async (tx) => ({
      loops: await tx.loops.list({ limit: 1 }),
    }));
    const dir = await project.engine.artifacts.namedDir(loops[0]!.id, 'stop-scripts');
    const kept = ['1', '2', '3', '4'].map((n) =>
      readFile(path.join(dir, `script-${n}.stdout.log`), 'utf8'),
    );
    expect(await Promise.all(kept)).toEqual(['a\n', 'b\n', 'c\n', 'd\n']);
  });

  it('that take too long say so in the decision, and warn once', async () => {
    const slow = { on: 'script', command: 'sleep 30', timeout: '300ms' };
    const loop = await runWith([slow], { 'max-iterations': 2 });
    const [first] = loop.iterations[0]?.decision?.inputs.stopConditions ?? [];
    expect(first).toMatchObject({ met: false, unsure: true });
    expect(first?.problem).toBe('`sleep 30` took longer than 0.3 s and was ended');
    const told = loop.warnings.filter((text) => text.includes('took longer than'));
    expect(told).toEqual([
      'a stop condition could not be judged: `sleep 30` took longer than 0.3 s and was ended',
    ]);
  });
});

describe('a script that a stop condition cannot start', () => {
  it.each([
    ['./nope.sh', '`./nope.sh` was not found (exit code 127)'],
    ['./n.txt', '`./n.txt` cannot be executed (exit code 126)'],
  ])('%s is no answer, also where it is denied', async (command, problem) => {
    const stops = [{ on: 'script', command }, { not: { on: 'script', command } }];
    const loop = await runWith(stops, { 'max-iterations': 2 });
    expect(loop).toMatchObject({ status: 'failed', reason: 'max_iterations' });
    const looked = loop.iterations[0]?.decision?.inputs.stopConditions ?? [];
    expect(looked).toMatchObject([
      { met: false, unsure: true, problem },
      { met: false, unsure: true, problem },
    ]);
    const told = loop.warnings.filter((text) => text.includes('could not be judged'));
    expect(told).toHaveLength(1);
  });
});

describe('a stop by a person is the condition user-signal', () => {
  const waits = { agent: `command:echo x >> n.txt; sleep 1`, validate: 'test -e n.txt' };

  it('which ends the loop as the condition says', async () => {
    await using repo = await gitRepo();
    const condition = { on: 'user-signal', kind: 'failure' };
    await using project = await withStops(repo, [condition], { ...waits, validate: 'false' });
    const running = project.runText('work');
    await askToStop(project);
    expect(await running).toMatchObject({ status: 'failed', reason: 'strategy_stop' });
  });

  it('and as a success stands in for the claim, never for the checks', async () => {
    await using repo = await gitRepo();
    const condition = { on: 'user-signal', kind: 'success' };
    await using project = await withStops(repo, [condition], {
      ...waits,
      'require-claim': 'always',
    });
    const running = project.runText('work');
    await askToStop(project);
    expect(await running).toMatchObject({ status: 'complete' });
  });
});
