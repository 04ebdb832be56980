import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { listPids, readCommand, readStat } from '../../../src/adapters/process/proc.ts';
import { createSupervisor } from '../../../src/adapters/process/supervisor.ts';
import type { ProcessIdentity } from '../../../src/ports/process.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { startEngine, type Engine } from './engine.ts';
import { eventually, runs } from './fixture.ts';

/**
 * Two processes that ignore polite signals: one in the group, one daemon in a session of its own. `tail` would end by itself
 * when nobody reads its output any more.
 */
const stubborn = `trap '' TERM INT HUP
  setsid sh -c 'echo $$; exec tail -f /dev/null >/dev/null' &
  echo $$
  while :; do wait; done`;

/** Without a namespace: these tests are about the watchdog and the search for what is left. */
function startWeakly(cwd: string, task: 'run' | 'hold', script: string): Engine {
  return startEngine(cwd, ['process-group', task, 'sh', '-c', script]);
}

function watchdogOf(engine: number): number {
  const isWatchdog = (pid: number): boolean =>
    readStat(pid)?.parent === engine &&
    (readCommand(pid)?.includes('loopwright-watchdog') ?? false);
  return listPids().find(isWatchdog)!;
}

/** Kills the engine in a way that its watchdog cannot answer. */
async function killWithWatchdog(engine: Engine): Promise<void> {
  const watchdog = watchdogOf(engine.pid);
  process.kill(engine.pid, 'SIGSTOP');
  process.kill(watchdog, 'SIGKILL');
  await engine.kill();
  await eventually(() => !runs(watchdog));
}

test('nothing survives the engine when it is killed', async () => {
  await using dir = await tempDir();
  await using engine = startWeakly(dir.path, 'run', stubborn);
  await engine.next();
  const pids = [Number(await engine.next()), Number(await engine.next())];
  expect(pids.map(runs)).toEqual([true, true]);
  await engine.kill();
  await eventually(() => !pids.some(runs));
});

test('a killed watchdog is replaced', async () => {
  await using dir = await tempDir();
  await using engine = startWeakly(dir.path, 'run', stubborn);
  await engine.next();
  const pids = [Number(await engine.next()), Number(await engine.next())];
  const first = watchdogOf(engine.pid);
  process.kill(first, 'SIGKILL');
  await eventually(() => (watchdogOf(engine.pid) ?? first) !== first);
  await engine.kill();
  await eventually(() => !pids.some(runs));
});

test('a program the engine never released does not run', async () => {
  await using dir = await tempDir();
  await using engine = startWeakly(dir.path, 'hold', ': > acted');
  const identity: ProcessIdentity = await engine.next();
  expect(runs(identity.pid)).toBe(true);
  await killWithWatchdog(engine);
  await eventually(() => !runs(identity.pid));
  expect(await readdir(dir.path)).toEqual([]);
});

test('what a dead engine left behind is found by its identity and ended', async () => {
  await using dir = await tempDir();
  await using engine = startWeakly(dir.path, 'run', stubborn);
  const identity: ProcessIdentity = await engine.next();
  const pids = [Number(await engine.next()), Number(await engine.next())];
  await killWithWatchdog(engine);
  expect(pids.map(runs)).toEqual([true, true]);

  await using supervisor = createSupervisor();
  const stranger = { ...identity, startTime: '1' };
  expect(await supervisor.endLeftover(stranger, 10)).toBe(false);
  expect(await supervisor.endLeftover({ ...identity, host: 'elsewhere' }, 10)).toBe(false);
  expect(await supervisor.endLeftover({ ...identity, bootId: 'another' }, 10)).toBe(false);
  expect(pids.map(runs)).toEqual([true, true]);

  expect(await supervisor.endLeftover(identity, 10)).toBe(true);
  expect(pids.some(runs)).toBe(false);
  expect(await supervisor.endLeftover(identity, 10)).toBe(false);
});

test('a daemon is found even when the process that started it is gone', async () => {
  await using dir = await tempDir();
  await using engine = startWeakly(dir.path, 'run', stubborn);
  const identity: ProcessIdentity = await engine.next();
  const pids = [Number(await engine.next()), Number(await engine.next())];
  await killWithWatchdog(engine);
  process.kill(identity.pid, 'SIGKILL');
  await eventually(() => !runs(identity.pid));
  expect(pids.filter(runs)).toHaveLength(1);

  await using supervisor = createSupervisor();
  expect(await supervisor.isAlive(identity)).toBe(false);
  expect(await supervisor.endLeftover(identity, 10)).toBe(true);
  expect(pids.some(runs)).toBe(false);
});

test('an engine does not end itself as a leftover', async () => {
  await using supervisor = createSupervisor();
  expect(await supervisor.endLeftover(await supervisor.self(), 10)).toBe(false);
});
