import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { isResting } from '../../src/core/loop/status.ts';
import {
  agentStarts,
  eventually,
  startViolations,
  storeViolations,
  userState,
} from '../support/invariants.ts';
import { sampleOf } from './sample.ts';
import { scenario, type Scenario } from './scenario.ts';

const isFull = process.env['LOOPWRIGHT_TEST_FULL'] === '1';

/** Where the owner falls asleep: each before or after something that it must not do once it was replaced. */
const sleeps = [
  'before:commit:2',
  'after:agent.started:2',
  'after:run-agent:2',
  'before:restore-protected:2',
  'before:write-patch:2',
  'before:rebase:1',
  'before:run-hook:2',
  'before:open-workspace:1',
  'after:run-check:3',
  'before:decision.made:2',
];

describe('an owner that sleeps past its lease', () => {
  it.concurrent.each(isFull ? sleeps : sampleOf(sleeps, 2))(
    'changes nothing when it wakes up and says so: asleep at %s',
    async (point) => {
      await using project = await scenario();
      const asleep = startWithLease(project, 1500, `${point}:stop`);
      await eventually(() => isStopped(asleep.child), `the owner stops at ${point}`, 60_000);
      await eventually(() => leaseHasEnded(project), 'its lease ends');

      const second = await project.run(['run']);
      expect(second.exitCode, second.out + second.err).toBe(0);
      expect(second.err).toContain('which was interrupted');
      const before = await everything(project);

      asleep.child.kill('SIGCONT');
      const said = await asleep.ended;
      expect(said).toMatch(/^(loop\.lost|store\.fenced): /m);
      expect(await everything(project)).toEqual(before);
      expect(await project.violations()).toEqual([]);
    },
    180_000,
  );
});

describe('two engines on one repository', () => {
  it('never drive the same loop, and each task gets one', async () => {
    await using project = await scenario();
    for (const title of ['one', 'two', 'three', 'four']) {
      expect((await project.run(['task', 'add', title])).exitCode).toBe(0);
    }
    const before = await userState(project.repo, ['refs/heads/trunk']);
    const runs = await Promise.all([1, 2].map(() => project.run(['run', '--merge', 'none'])));
    // The one that finds nothing left to do is as right as the other.
    expect(runs.map(({ exitCode }) => exitCode).filter((code) => code !== 0 && code !== 3)).toEqual(
      [],
    );
    const loops = await project.loops();
    expect(loops.map(({ loop }) => `${loop.title} ${loop.status}`).toSorted()).toEqual([
      'four complete',
      'one complete',
      'three complete',
      'two complete',
    ]);
    expect(await storeViolations(project.repo)).toEqual([]);
    expect(startViolations(await agentStarts(project.agentLog), loops)).toEqual([]);
    expect(await userState(project.repo, ['refs/heads/trunk'])).toEqual(before);
  }, 180_000);

  it('leave a loop alone that the other one is about to drive', async () => {
    await using project = await scenario();
    const first = project.start(['run', 'count to three'], {
      LOOPWRIGHT_FAIL_AT: 'after:loop.created:1:hang',
    });
    await first.printed((text) => text.includes('hanging at'));
    const second = await project.run(['run']);
    expect([second.exitCode, second.err]).toEqual([3, expect.not.stringContaining('resuming')]);
    first.child.kill('SIGKILL');
    await first.ended;
    expect((await project.run(['run'])).exitCode).toBe(0);
    expect(await project.violations()).toEqual([]);
  }, 120_000);

  it('refuse a loop that the other one drives, and name it', async () => {
    await using project = await scenario();
    const first = project.start(['run', 'count to three'], {
      LOOPWRIGHT_FAIL_AT: 'before:commit:1:hang',
    });
    await first.printed((text) => text.includes('hanging at'));
    const loopId = (await project.loops())[0]?.loop.id ?? '';
    const second = await project.run(['loop', 'resume', loopId]);
    expect(second.err).toContain(`${loopId} is being driven by`);
    expect((await project.run(['run'])).err).toContain('there is nothing to do');
    first.child.kill('SIGKILL');
    await first.ended;
    expect((await project.run(['run'])).exitCode).toBe(0);
    expect(await project.violations()).toEqual([]);
  }, 120_000);
});

describe('a pid that was given to another process', () => {
  it('is not ended, and its session does not count as alive', async () => {
    await using project = await scenario();
    const failAt = { LOOPWRIGHT_FAIL_AT: 'after:agent.started:2:kill' };
    expect((await project.run(['run', 'count to three'], failAt)).signal).toBe('SIGKILL');
    const innocent = spawn('sleep', ['300'], { stdio: 'ignore' });
    try {
      givePid(project, innocent.pid ?? 0);
      const second = await project.run(['run']);
      expect(second.exitCode, second.out + second.err).toBe(0);
      expect(innocent.exitCode ?? innocent.signalCode).toBeNull();
      const [stored] = await project.loops();
      expect(stored?.loop.iterations.map(({ outcome }) => outcome)).toContain('interrupted');
    } finally {
      innocent.kill('SIGKILL');
    }
  }, 120_000);
});

type Asleep = { readonly child: ChildProcess; readonly ended: Promise<string> };

function startWithLease(project: Scenario, leaseMs: number, failAt: string): Asleep {
  const program = path.join(import.meta.dirname, 'programs/run.ts');
  const child = spawn(process.execPath, [program, String(leaseMs), 'count to three'], {
    cwd: project.repo.path,
    env: { ...project.env, LOOPWRIGHT_FAIL_AT: failAt },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (out += chunk));
  const ended = new Promise<string>((resolve) => child.on('close', () => resolve(out)));
  return { child, ended };
}

function isStopped(child: ChildProcess): boolean {
  if (child.exitCode !== null) throw new Error('the owner ended instead of stopping');
  return /\) T /.test(readFileSync(`/proc/${child.pid}/stat`, 'latin1'));
}

function leaseHasEnded(project: Scenario): boolean {
  using database = new DatabaseSync(path.join(project.repo.path, '.loopwright/state.db'));
  const [row] = database.prepare('select lease_until from queue').all();
  return Number(row?.['lease_until']) < Date.now();
}

/** The store and every ref: all that an owner could change. */
async function everything(project: Scenario): Promise<unknown> {
  const loops = await project.loops();
  return {
    refs: await project.repo.git('for-each-ref'),
    loops: loops.filter(({ loop }) => isResting(loop.status)),
    starts: await agentStarts(project.agentLog),
  };
}

/** As after a reboot of the counter: the recorded pid belongs to somebody else now, who started at another time. */
function givePid(project: Scenario, pid: number): void {
  using database = new DatabaseSync(path.join(project.repo.path, '.loopwright/state.db'));
  database.exec(`update sessions set pid = ${pid} where ended_at is null`);
  const changed = database
    .prepare(
      "update iterations set state = json_set(state, '$.process.pid', ?) where json_extract(state, '$.process.pid') is not null",
    )
    .run(pid);
  expect(changed.changes).toBe(1);
}
