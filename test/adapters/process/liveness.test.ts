import { appendFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { fileGrowth } from '../../../src/adapters/process/file-growth.ts';
import { createSupervisor } from '../../../src/adapters/process/supervisor.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { ProcessSpec } from '../../../src/ports/process.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { startEngine } from './engine.ts';
import { eventually, livingIn, never, runs, specOf } from './fixture.ts';
import { modes } from './modes.ts';

const sh = (script: string, cwd: string, changes: Partial<ProcessSpec>): ProcessSpec =>
  specOf(['sh', '-c', script], cwd, { graceMs: 50, ...changes });

describe.each(modes)('a silent program contained by $mode', ({ mode: containment, missing }) => {
  beforeEach(({ skip }) => skip(missing !== null, missing ?? ''));

  test('hangs when it sleeps', async () => {
    await using dir = await tempDir();
    await using supervisor = createSupervisor({ containment });
    const spec = sh('echo hello; exec tail -f /dev/null', dir.path, { idleMs: 1000 });
    const result = await supervisor.run(spec, {}, never);
    expect(result).toMatchObject({ end: { kind: 'hung', idleMs: 1000 }, stdoutTail: 'hello\n' });
    expect(result.durationMs).toBeGreaterThanOrEqual(1000);
    expect(result.durationMs).toBeLessThan(4000);
    expect(livingIn(dir.path)).toEqual([]);
  });

  test('hangs when it is stopped, and can be ended all the same', async () => {
    await using dir = await tempDir();
    await using supervisor = createSupervisor({ containment });
    const spec = sh('(while :; do :; done) & kill -STOP $! $$', dir.path, { idleMs: 500 });
    expect((await supervisor.run(spec, {}, never)).end).toEqual({ kind: 'hung', idleMs: 500 });
    expect(livingIn(dir.path)).toEqual([]);
  });

  test('does not hang while it, or a process it left, computes', async () => {
    await using dir = await tempDir();
    await using supervisor = createSupervisor({ containment });
    const spec = sh('(setsid sh -c "while :; do :; done" &); exec tail -f /dev/null', dir.path, {
      // On a busy machine it may be some time before it is its turn.
      idleMs: 1500,
      timeoutMs: 4000,
    });
    expect((await supervisor.run(spec, {}, never)).end).toEqual({
      kind: 'timed-out',
      afterMs: 4000,
    });
  });

  test('does not hang while it writes', async () => {
    await using dir = await tempDir();
    await using supervisor = createSupervisor({ containment });
    // Little CPU, much output: into a file that nobody told us of.
    const writing = 'while :; do head -c 65536 /dev/zero > big; sleep 0.05; done';
    const spec = sh(writing, dir.path, { idleMs: 1500, timeoutMs: 4000 });
    expect((await supervisor.run(spec, {}, never)).end.kind).toBe('timed-out');
  });
});

test('a program that prints now and then does not hang', async () => {
  await using dir = await tempDir();
  await using supervisor = createSupervisor();
  const spec = sh('for i in 1 2 3 4 5 6; do echo $i; sleep 0.3; done', dir.path, { idleMs: 1200 });
  expect((await supervisor.run(spec, {}, never)).end).toEqual({ kind: 'exited', code: 0 });
});

test('a growing transcript is a sign of life', async () => {
  await using dir = await tempDir();
  await using supervisor = createSupervisor();
  const transcript = path.join(dir.path, 'session-1.jsonl');
  const growing = [path.join(dir.path, 'session-*.jsonl')];
  const before = await fileGrowth(growing);
  await appendFile(transcript, 'one\n');
  const after = await fileGrowth(growing);
  expect(after).not.toBe(before);
  expect(await fileGrowth(growing)).toBe(after);

  // Somebody else writes it, so that neither output nor work of the program's own can be the sign.
  const spec = sh('exec tail -f /dev/null', dir.path, { idleMs: 400, growing });
  const writing = setInterval(() => void appendFile(transcript, 'more\n'), 50);
  const startedAt = performance.now();
  setTimeout(() => clearInterval(writing), 1000);
  const { end } = await supervisor.run(spec, {}, never);
  expect(end).toEqual({ kind: 'hung', idleMs: 400 });
  expect(performance.now() - startedAt).toBeGreaterThan(1300);
});

test('without an idle limit nothing hangs', async () => {
  await using dir = await tempDir();
  await using supervisor = createSupervisor();
  const spec = sh('sleep 0.5', dir.path, { idleMs: 0 });
  expect((await supervisor.run(spec, {}, never)).end).toEqual({ kind: 'exited', code: 0 });
});

describe('time that passed while the engine stood still', () => {
  test('does not count: an engine that was stopped gives its program the rest', async () => {
    await using dir = await tempDir();
    // The program needs longer than its limit, but the engine misses most of that time.
    const script = 'echo up; sleep 3; echo slept';
    await using engine = startEngine(dir.path, ['best', 'run:2500', 'sh', '-c', script]);
    await engine.next();
    expect(await engine.next()).toBe('up');
    process.kill(engine.pid, 'SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, 2800));
    process.kill(engine.pid, 'SIGCONT');
    expect(await engine.next()).toBe('slept');
    expect(await engine.next()).toEqual({ end: { kind: 'exited', code: 0 } });
  });

  test('neither ends nor hangs a run when the clock jumps', async () => {
    await using dir = await tempDir();
    const real = performance.now.bind(performance);
    let jumpedMs = 0;
    const clock: Clock = {
      now: () => Date.now(),
      monotonic: () => real() + jumpedMs,
      async sleep(ms, signal) {
        await new Promise<void>((resolve, reject) => {
          const timer = setTimeout(resolve, ms);
          const abort = (): void => {
            clearTimeout(timer);
            reject(new Error('aborted'));
          };
          signal.addEventListener('abort', abort, { once: true });
        });
      },
    };
    await using supervisor = createSupervisor({ clock });
    const sink = {
      line() {
        jumpedMs += 2 * 3_600_000;
      },
    };
    const spec = sh('for i in 1 2 3 4 5; do echo $i; sleep 0.1; done; echo over', dir.path, {
      timeoutMs: 20_000,
      idleMs: 10_000,
    });
    const { end } = await supervisor.run(spec, sink, never);
    expect(end).toEqual({ kind: 'exited', code: 0 });
  });
});

test('a hung family is ended as a whole', async () => {
  await using dir = await tempDir();
  await using supervisor = createSupervisor();
  let leader = 0;
  const sink = {
    started(identity: { readonly pid: number }) {
      leader = identity.pid;
      return Promise.resolve();
    },
  };
  const spec = sh('setsid tail -f /dev/null & exec tail -f /dev/null', dir.path, { idleMs: 300 });
  expect((await supervisor.run(spec, sink, never)).end.kind).toBe('hung');
  await eventually(() => !runs(leader));
  expect(livingIn(dir.path)).toEqual([]);
});
