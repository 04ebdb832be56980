import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { currentContainment } from '../../../src/adapters/process/containment.ts';
import { createSupervisor } from '../../../src/adapters/process/supervisor.ts';
import type { ProcessIdentity, ProcessSpec } from '../../../src/ports/process.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { startEngine } from './engine.ts';
import { eventually, fixture, livingIn, never, specOf } from './fixture.ts';
import { modes, namespaceModes, strongModes } from './modes.ts';

const isFull = process.env['LOOPWRIGHT_TEST_FULL'] === '1';
const family = (cwd: string, how: 'stay' | 'leave', changes: Partial<ProcessSpec> = {}) =>
  specOf([fixture('escapes'), how], cwd, { graceMs: 50, ...changes });

describe.each(strongModes)('a family that escapes, contained by $mode', (it) => {
  const { mode: containment, missing } = it;
  beforeEach(({ skip }) => skip(missing !== null, missing ?? ''));

  test('is gone when its run is over', async () => {
    await using dir = await tempDir();
    await using supervisor = createSupervisor({ containment });
    const result = await supervisor.run(family(dir.path, 'leave'), {}, never);
    expect(result).toMatchObject({ end: { kind: 'exited', code: 0 }, stdoutTail: 'ready\n' });
    expect(livingIn(dir.path)).toEqual([]);
  });

  test('is gone after the time limit', async () => {
    await using dir = await tempDir();
    await using supervisor = createSupervisor({ containment });
    const spec = family(dir.path, 'stay', { timeoutMs: 1500 });
    const { end, durationMs, stdoutTail } = await supervisor.run(spec, {}, never);
    expect(end).toEqual({ kind: 'timed-out', afterMs: 1500 });
    expect(stdoutTail).toBe('ready\n');
    expect(durationMs).toBeLessThan(1500 + 50 + 2000);
    expect(livingIn(dir.path)).toEqual([]);
  });

  test('is gone when it is cancelled', async () => {
    await using dir = await tempDir();
    await using supervisor = createSupervisor({ containment });
    const stop = new AbortController();
    let seen = 0;
    const sink = {
      line() {
        seen = livingIn(dir.path).length;
        stop.abort();
      },
    };
    const { end } = await supervisor.run(family(dir.path, 'stay'), sink, stop.signal);
    expect(end).toEqual({ kind: 'cancelled' });
    expect(seen).toBeGreaterThanOrEqual(10);
    expect(livingIn(dir.path)).toEqual([]);
  });

  test('is gone when the engine is killed', async () => {
    await using dir = await tempDir();
    await using engine = startEngine(dir.path, [containment, 'run', fixture('escapes'), 'stay']);
    await engine.next();
    expect(await engine.next()).toBe('ready');
    expect(livingIn(dir.path).length).toBeGreaterThanOrEqual(11);
    await engine.kill();
    await eventually(() => livingIn(dir.path).length === 0, 2000);
  });

  test(
    'is gone when the engine dies while it starts',
    async () => {
      await using dir = await tempDir();
      const rounds = isFull ? 200 : 10;
      let started = 0;
      for (let round = 0; round < rounds; round += 1) {
        const delay = String(Math.round((round / rounds) * 120));
        await using engine = startEngine(dir.path, [
          containment,
          delay,
          fixture('escapes'),
          'stay',
        ]);
        await engine.exited;
        if ((await engine.next()) !== null) started += 1;
        await eventually(() => livingIn(dir.path).length === 0, 5000);
      }
      expect(started).toBeGreaterThan(0);
    },
    isFull ? 1_200_000 : 60_000,
  );

  test('is found by its identity and ended', async () => {
    await using dir = await tempDir();
    await using engine = startEngine(dir.path, [containment, 'run', fixture('escapes'), 'stay']);
    const identity: ProcessIdentity = await engine.next();
    expect(await engine.next()).toBe('ready');
    await using supervisor = createSupervisor();
    for (const other of [{ startTime: '1' }, { host: 'elsewhere' }, { bootId: 'another' }]) {
      expect(await supervisor.endLeftover({ ...identity, ...other }, 10)).toBe(false);
    }
    // The engine works in that folder, too.
    expect(livingIn(dir.path).length).toBeGreaterThanOrEqual(12);
    expect(await supervisor.isAlive(identity)).toBe(true);
    expect(await supervisor.endLeftover(identity, 10)).toBe(true);
    expect(await supervisor.isAlive(identity)).toBe(false);
    expect(await supervisor.endLeftover(identity, 10)).toBe(false);
    // The one that kept the namespace for the engine needs a moment to notice.
    await eventually(() => livingIn(dir.path).every((pid) => pid === engine.pid), 2000);
    // TERM or KILL, whichever the program itself died of.
    expect(await engine.next()).toMatchObject({ end: { kind: 'signalled' } });
  });
});

test('without a namespace only the one with an emptied environment is left', async () => {
  await using dir = await tempDir();
  await using supervisor = createSupervisor({ containment: 'process-group' });
  await supervisor.run(family(dir.path, 'leave'), {}, never);
  const left = livingIn(dir.path);
  for (const pid of left) process.kill(pid, 'SIGKILL');
  await eventually(() => livingIn(dir.path).length === 0);
  expect(left.length).toBeLessThanOrEqual(1);
});

describe.each(namespaceModes)('inside a namespace by $mode', ({ mode: containment, missing }) => {
  beforeEach(({ skip }) => skip(missing !== null, missing ?? ''));

  const inside = async (script: string, dir: string): Promise<string[]> => {
    await using supervisor = createSupervisor({ containment });
    const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '/' };
    const { stdoutTail } = await supervisor.run(
      specOf(['sh', '-c', script], dir, { env }),
      {},
      never,
    );
    return stdoutTail.trimEnd().split('\n');
  };

  test('everything is as outside but for the processes', async () => {
    await using dir = await tempDir();
    const [user, folder, temp, device, processes] = await inside(
      `id -u; pwd; ls -di "${dir.path}" | cut -d' ' -f1; echo x > /dev/null && echo writable
       ls /proc | grep -c '^[0-9]'; echo made > made.txt`,
      dir.path,
    );
    expect(user).toBe(String(process.getuid?.()));
    expect(folder).toBe(dir.path);
    expect(Number(temp)).toBeGreaterThan(0);
    expect(device).toBe('writable');
    expect(Number(processes)).toBeLessThan(8);
    expect(await readFile(path.join(dir.path, 'made.txt'), 'utf8')).toBe('made\n');
    expect(readdirSync('/proc').length).toBeGreaterThan(8);
  });

  test('a program can tell its exit codes from signals', async () => {
    await using dir = await tempDir();
    await using supervisor = createSupervisor({ containment });
    const endOf = async (script: string) =>
      (await supervisor.run(specOf(['sh', '-c', script], dir.path), {}, never)).end;
    expect(await endOf('exit 137')).toEqual({ kind: 'exited', code: 137 });
    expect(await endOf('kill -9 $$')).toEqual({ kind: 'signalled', signal: 'SIGKILL' });
    expect(await endOf('kill -TERM $$')).toEqual({ kind: 'signalled', signal: 'SIGTERM' });
    expect(await endOf('exit 255')).toEqual({ kind: 'exited', code: 255 });
    // A program that ends its whole group ends neither its keeper nor us.
    expect(await endOf('kill 0; exit 1')).toEqual({ kind: 'signalled', signal: 'SIGTERM' });
    expect(await endOf('trap "exit 5" TERM; kill 0')).toEqual({ kind: 'exited', code: 5 });
  });

  test('an agent that kills every node does not kill the engine', async () => {
    await using dir = await tempDir();
    await using engine = startEngine(dir.path, [containment, 'run', fixture('kills-node')]);
    await engine.next();
    expect(await engine.next()).toBe('finished');
    expect(await engine.next()).toEqual({ end: { kind: 'exited', code: 0 } });
    expect(await readFile(path.join(dir.path, 'work.txt'), 'utf8')).toBe('done\n');
    await engine.exited;
    expect(livingIn(dir.path)).toEqual([]);
  });

  test('another engine contains its own runs, and dies with ours', async () => {
    await using dir = await tempDir();
    const program = path.join(import.meta.dirname, 'engine-program.ts');
    const nested = [process.execPath, program, 'best', 'run', fixture('escapes'), 'stay'];
    await using engine = startEngine(dir.path, [containment, 'run', ...nested]);
    const outer: ProcessIdentity = await engine.next();
    const said: any[] = [];
    while (said.at(-1) !== 'ready') said.push(JSON.parse(await engine.next()));
    const inner = said.find((value) => value.pid !== undefined);
    const warnings = said.filter((value) => value.weak !== undefined);
    expect(warnings).toHaveLength(inner.containment === 'process-group' ? 1 : 0);
    // Both count their processes from 1: their identities must not be taken for each other's.
    expect(inner.host).not.toBe(outer.host);
    await engine.kill();
    await eventually(() => livingIn(dir.path).length === 0);
  });
});

describe('the choice', () => {
  test('is the best that works, and says so', async () => {
    const best = [...strongModes, ...modes].find(({ missing }) => missing === null)?.mode;
    await using dir = await tempDir();
    await using supervisor = createSupervisor();
    expect(currentContainment()).toEqual(supervisor.containment());
    expect(supervisor.containment()).toMatchObject({
      mode: best,
      strength: best === 'process-group' ? 'weak' : 'strong',
    });
    const { containment } = await supervisor.run(specOf(['true'], dir.path), {}, never);
    expect(containment).toBe(best);
  });

  test('falls back, loudly, where namespaces are forbidden', async ({ skip }) => {
    const forbid = `echo 0 > /proc/sys/user/max_user_namespaces &&
      exec setpriv --bounding-set -all --inh-caps -all "$@"`;
    const before = ['unshare', '--user', '--map-root-user', 'sh', '-c', forbid, 'forbid'];
    await using dir = await tempDir();
    await using engine = startEngine(
      dir.path,
      ['best', 'run', 'sh', '-c', 'echo here; exec tail -f /dev/null'],
      before,
    );
    const first = await engine.next();
    skip(first === null, 'no user namespace can be made to forbid them in');
    skip(first.containment === 'cgroup', 'a cgroup can be had all the same');
    expect(first.weak).toMatchObject({ mode: 'process-group', strength: 'weak' });
    expect(first.weak.obstacles.length).toBeGreaterThanOrEqual(1);
    expect((await engine.next()).containment).toBe('process-group');
    expect(await engine.next()).toBe('here');
    await engine.kill();
    await eventually(() => livingIn(dir.path).length === 0);
  });
});
