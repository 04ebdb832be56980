import { spawn } from 'node:child_process';
import { getEventListeners, once } from 'node:events';
import { readdirSync } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { listPids, readCommand, readStat } from '../../../src/adapters/process/proc.ts';
import { createSupervisor } from '../../../src/adapters/process/supervisor.ts';
import type { ProcessIdentity, ProcessSpec } from '../../../src/ports/process.ts';
import { tempDir, type TempDir } from '../../support/temp-dir.ts';
import { eventually, fixture, livingIn, never, specOf } from './fixture.ts';
import { hasWatchdog, modes } from './modes.ts';

function childrenOf(...parents: readonly number[]): number[] {
  return listPids().filter((pid) => parents.includes(readStat(pid)?.parent ?? 0));
}

/** What this process has started, itself or by its starter, the starter left out. */
function ownChildren(): number[] {
  const own = childrenOf(process.pid);
  const starters = own.filter((pid) => readCommand(pid)?.includes('loopwright-starter'));
  return [...own, ...childrenOf(...starters)].filter((pid) => !starters.includes(pid));
}

describe.each(modes)('contained by $mode', ({ mode, missing }) => {
  beforeEach(({ skip }) => skip(missing !== null, missing ?? ''));

  let dir: TempDir;
  let supervisor: ReturnType<typeof createSupervisor>;

  beforeEach(async () => {
    dir = await tempDir();
    supervisor = createSupervisor({ containment: mode });
  });

  afterEach(async () => {
    await supervisor[Symbol.asyncDispose]();
    await dir[Symbol.asyncDispose]();
  });

  const sh = (script: string, changes: Partial<ProcessSpec> = {}): ProcessSpec =>
    specOf(['sh', '-c', script], dir.path, changes);

  describe('a program that ends by itself', () => {
    test('tells its exit code, streams and sizes', async () => {
      const result = await supervisor.run(sh('echo out; echo err >&2; exit 7'), {}, never);
      expect(result).toMatchObject({
        end: { kind: 'exited', code: 7 },
        stdoutTail: 'out\n',
        stderrTail: 'err\n',
        stdoutBytes: 4,
        stderrBytes: 4,
      });
      expect(result.durationMs).toBeGreaterThan(0);
    });

    test('tells the truth about each of many that end at the same time', async () => {
      const codes = Array.from({ length: 60 }, (_, index) => index % 7);
      const results = [];
      while (results.length < codes.length) {
        const wave = codes.slice(results.length, results.length + 6);
        const runs = wave.map((code) => supervisor.run(sh(`exit ${code}`), {}, never));
        results.push(...(await Promise.all(runs)));
      }
      expect(results.map(({ end }) => end)).toEqual(
        codes.map((code) => ({ kind: 'exited', code })),
      );
    });

    test('tells the signal it died of', async () => {
      const result = await supervisor.run(sh('kill -SEGV $$'), {}, never);
      expect(result.end).toEqual({ kind: 'signalled', signal: 'SIGSEGV' });
    });

    test('hands on its lines and writes its streams to files', async () => {
      const lines: string[] = [];
      const stdoutFile = path.join(dir.path, 'stdout');
      const stderrFile = path.join(dir.path, 'stderr');
      const spec = sh('printf "one\\ntwo\\nthree"; echo bad >&2', { stdoutFile, stderrFile });
      await supervisor.run(spec, { line: (line) => lines.push(line) }, never);
      expect(lines).toEqual(['one', 'two', 'three']);
      expect(await readFile(stdoutFile, 'utf8')).toBe('one\ntwo\nthree');
      expect(await readFile(stderrFile, 'utf8')).toBe('bad\n');
    });

    test('gets its input and then its end, and nothing of our environment but the mark', async () => {
      const input = 'line\n'.repeat(60_000);
      const spec = sh('wc -c; env', { stdin: input, env: { PATH: '/usr/bin:/bin', GIVEN: 'yes' } });
      const { stdoutTail } = await supervisor.run(spec, {}, never);
      const [count, ...variables] = stdoutTail.trim().split('\n');
      expect(count).toBe('300000');
      // The first three are what a shell adds by itself.
      const names = variables.map((line) => line.slice(0, line.indexOf('=')));
      expect(names.filter((name) => !['PWD', 'SHLVL', '_'].includes(name)).toSorted()).toEqual([
        'GIVEN',
        'PATH',
        '__LOOPWRIGHT_RUNS',
      ]);
    });

    test('without input reads the end at once', async () => {
      const { stdoutTail } = await supervisor.run(sh('cat; echo over'), {}, never);
      expect(stdoutTail).toBe('over\n');
    });

    test('may open its streams by name', async () => {
      const spec = specOf([fixture('reopens-streams')], dir.path, { stdin: 'heard\n' });
      expect(await supervisor.run(spec, {}, never)).toMatchObject({
        end: { kind: 'exited', code: 0 },
        stdoutTail: 'heard\n',
        stderrTail: 'complaint\n',
      });
    });

    test('may close its input without harm', async () => {
      const spec = specOf([fixture('closes-stdin')], dir.path, { stdin: 'x'.repeat(1_000_000) });
      expect(await supervisor.run(spec, {}, never)).toMatchObject({
        end: { kind: 'exited', code: 0 },
        stdoutTail: 'not listening\n',
      });
    });

    test('takes no daemon with it that outlives the run', async () => {
      const spec = specOf([fixture('leaves-grandchild')], dir.path);
      const result = await supervisor.run(spec, {}, never);
      expect(result.end).toEqual({ kind: 'exited', code: 0 });
      expect(Number(await readFile(path.join(dir.path, 'daemon.pid'), 'utf8'))).toBeGreaterThan(1);
      expect(livingIn(dir.path)).toEqual([]);
    });

    test('leaves no background job of its group, even one that ignores TERM', async () => {
      const result = await supervisor.run(
        sh(`trap '' TERM; tail -f /dev/null & echo $!`, { graceMs: 20 }),
        {},
        never,
      );
      expect(Number(result.stdoutTail)).toBeGreaterThan(1);
      expect(livingIn(dir.path)).toEqual([]);
    });

    test('gives background processes a chance to tidy up', async () => {
      const script = `setsid sh -c 'trap "echo tidy > tidied; exit" TERM; : > armed; while :; do :; done' &
        while ! [ -e armed ]; do :; done`;
      await supervisor.run(sh(script, { graceMs: 10_000 }), {}, never);
      expect(await readFile(path.join(dir.path, 'tidied'), 'utf8')).toBe('tidy\n');
    });
  });

  describe('ending a program', () => {
    test('by cancelling ends the tree, also where signals are ignored', async () => {
      const stop = new AbortController();
      let pids: number[] = [];
      const sink = {
        line(line: string) {
          pids = line.split(' ').slice(1).map(Number);
          stop.abort();
        },
      };
      const spec = specOf([fixture('ignores-term')], dir.path, { graceMs: 50 });
      const result = await supervisor.run(spec, sink, stop.signal);
      expect(result.end).toEqual({ kind: 'cancelled' });
      expect(pids).toHaveLength(2);
      expect(livingIn(dir.path)).toEqual([]);
    });

    test('by the time limit keeps what was printed until then', async () => {
      const spec = specOf([fixture('prints-then-hangs')], dir.path, { timeoutMs: 300 });
      const result = await supervisor.run(spec, {}, never);
      expect(result).toMatchObject({
        end: { kind: 'timed-out', afterMs: 300 },
        stdoutTail: 'result\n',
      });
      expect(result.durationMs).toBeGreaterThanOrEqual(299);
    });

    test('lets a program that obeys TERM end in its own way', async () => {
      const stop = new AbortController();
      const script = `trap 'echo bye; exit 0' TERM; echo ready; while :; do :; done`;
      const result = await supervisor.run(
        sh(script, { graceMs: 20_000 }),
        { line: (line) => (line === 'ready' ? stop.abort() : undefined) },
        stop.signal,
      );
      expect(result).toMatchObject({ end: { kind: 'cancelled' }, stdoutTail: 'ready\nbye\n' });
    });

    test('follows descendants into other sessions and environments', async () => {
      const stop = new AbortController();
      const pids: number[] = [];
      const script = `
        env -i setsid sh -c 'trap "" TERM; echo $$; tail -f /dev/null & echo $!; wait; wait' &
        setsid sh -c '(trap "" TERM; setsid sh -c "echo \\$\\$; exec tail -f /dev/null" &)' &
        wait; tail -f /dev/null`;
      const sink = {
        line(line: string) {
          pids.push(Number(line));
          if (pids.length === 3) stop.abort();
        },
      };
      await supervisor.run(sh(script, { graceMs: 30 }), sink, stop.signal);
      expect(pids).toHaveLength(3);
      expect(livingIn(dir.path)).toEqual([]);
    });

    test('does not touch processes of other runs', async () => {
      const stop = new AbortController();
      const started = Promise.withResolvers<void>();
      const other = supervisor.run(
        sh('echo here; exec tail -f /dev/null'),
        { line: () => started.resolve() },
        stop.signal,
      );
      await started.promise;
      await supervisor.run(sh('tail -f /dev/null & exit 0'), {}, never);
      // The other run, and the watchdog where there is one.
      await eventually(() => ownChildren().length === (hasWatchdog(mode) ? 2 : 1));
      stop.abort();
      expect((await other).end).toEqual({ kind: 'cancelled' });
    });

    test('after its result gives it a moment, then ends it', async () => {
      const finished = Promise.withResolvers<void>();
      const spec = specOf([fixture('prints-then-hangs')], dir.path);
      const sink = { line: () => finished.resolve() };
      const control = { finished: finished.promise, lingerMs: 20 };
      const result = await supervisor.run(spec, sink, never, control);
      expect(result.end).toEqual({ kind: 'ended-after-result' });
    });

    test('survives a program that kills its own group', async () => {
      const result = await supervisor.run(specOf([fixture('kills-group')], dir.path), {}, never);
      expect(result).toMatchObject({
        end: { kind: 'signalled', signal: 'SIGKILL' },
        stdoutTail: 'good bye\n',
      });
    });
  });

  describe('starting', () => {
    test('waits until the identity is stored', async () => {
      const proof = path.join(dir.path, 'acted');
      let identity: ProcessIdentity | null = null;
      let actedEarly = true;
      const sink = {
        async started(it: ProcessIdentity) {
          identity = it;
          expect(await supervisor.isAlive(it)).toBe(true);
          actedEarly = await stat(proof).then(
            () => true,
            () => false,
          );
        },
      };
      const result = await supervisor.run(sh(': > acted; echo $$'), sink, never);
      expect(actedEarly).toBe(false);
      expect((await stat(proof)).isFile()).toBe(true);
      expect(identity).toMatchObject({ containment: mode });
      // Inside a namespace the program has a number of its own; its first process stands for it.
      if (hasWatchdog(mode)) expect(identity!.pid).toBe(Number(result.stdoutTail));
      expect(result.containment).toBe(mode);
      expect(await supervisor.isAlive(identity!)).toBe(false);
    });

    test('runs nothing when the identity cannot be stored', async () => {
      const sink = { started: () => Promise.reject(new Error('store is full')) };
      await expect(supervisor.run(sh(': > acted'), sink, never)).rejects.toThrow('store is full');
      await expect(stat(path.join(dir.path, 'acted'))).rejects.toThrow('ENOENT');
    });

    test('runs nothing when cancelled before or meanwhile', async () => {
      const stop = new AbortController();
      const sink = { started: () => Promise.resolve(stop.abort()) };
      const cancelled = { end: { kind: 'cancelled' } };
      expect(await supervisor.run(sh(': > acted'), sink, stop.signal)).toMatchObject(cancelled);
      expect(await supervisor.run(sh(': > acted'), {}, stop.signal)).toMatchObject(cancelled);
      await expect(stat(path.join(dir.path, 'acted'))).rejects.toThrow('ENOENT');
    });

    test.each([
      ['no-such-program', 'ENOENT', 'command not found in PATH'],
      ['./missing', 'ENOENT', 'there is no such file'],
      ['./plain.txt', 'EACCES', 'is not executable'],
      ['./folder', 'EACCES', 'is not executable'],
    ])('says why %s cannot be started', async (program, code, reason) => {
      await writeFile(path.join(dir.path, 'plain.txt'), '', { mode: 0o644 });
      await mkdir(path.join(dir.path, 'folder'));
      const { end } = await supervisor.run(specOf([program], dir.path), {}, never);
      expect(end).toMatchObject({ kind: 'not-started', code });
      expect(end.kind === 'not-started' && end.error).toContain(reason);
    });

    test('says that arguments are too long or the folder is missing', async () => {
      const long = await supervisor.run(
        specOf(['echo', 'x'.repeat(3_000_000)], dir.path),
        {},
        never,
      );
      expect(long.end).toMatchObject({ kind: 'not-started', code: 'E2BIG' });
      const lost = await supervisor.run(specOf(['echo'], path.join(dir.path, 'gone')), {}, never);
      expect(lost.end).toMatchObject({ kind: 'not-started', code: 'ENOENT' });
      expect(lost.end.kind === 'not-started' && lost.end.error).toContain('working folder');
    });

    test('refuses when the output has nowhere to go', async () => {
      const spec = sh(': > acted', { stdoutFile: path.join(dir.path, 'no', 'such', 'folder') });
      await expect(supervisor.run(spec, {}, never)).rejects.toMatchObject({
        code: 'process.output_file',
      });
      await expect(stat(path.join(dir.path, 'acted'))).rejects.toThrow('ENOENT');
    });

    test('ends the run and throws when the output cannot be written', async () => {
      const spec = sh('echo x; exec tail -f /dev/null', { stdoutFile: '/dev/full' });
      await expect(supervisor.run(spec, {}, never)).rejects.toMatchObject({
        code: 'process.output_file',
      });
    });

    test('ends the run and throws what the reader of its lines threw', async () => {
      const sink = {
        line() {
          throw new Error('reader is broken');
        },
      };
      const spec = specOf([fixture('prints-then-hangs')], dir.path);
      await expect(supervisor.run(spec, sink, never)).rejects.toThrow('reader is broken');
    });
  });

  describe('identity', () => {
    test('of this process is alive', async () => {
      const self = await supervisor.self();
      expect(self.pid).toBe(process.pid);
      expect(await supervisor.isAlive(self)).toBe(true);
    });

    test('is not that of a stranger with the same pid, of another boot, or of a zombie', async () => {
      const self = await supervisor.self();
      expect(await supervisor.isAlive({ ...self, startTime: '1' })).toBe(false);
      expect(await supervisor.isAlive({ ...self, bootId: 'another' })).toBe(false);
      expect(await supervisor.isAlive({ ...self, host: 'elsewhere', startTime: '1' })).toBe(true);
    });

    test('counts a zombie as gone', async () => {
      // A shell that became `tail` never asks for the child it had before.
      const child = `while [ "$(cat /proc/$0/comm)" != tail ]; do :; done`;
      const parent = spawn('sh', ['-c', `sh -c '${child}' $$ & echo $!; exec tail -f /dev/null`], {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      try {
        const [chunk] = await once(parent.stdout, 'data');
        const zombie = Number(chunk.toString());
        await eventually(() => readStat(zombie)?.state === 'Z');
        const startTime = readStat(zombie)?.startTime ?? null;
        const self = await supervisor.self();
        expect(await supervisor.isAlive({ ...self, pid: zombie, startTime })).toBe(false);
      } finally {
        parent.kill('SIGKILL');
        await once(parent, 'exit');
      }
    });
  });

  test('many runs leave no child, no listener and no descriptor behind', async () => {
    const stop = new AbortController();
    const inUse = (): unknown => ({
      children: ownChildren(),
      descriptors: readdirSync('/proc/self/fd').length,
      listeners: process.eventNames().map((name) => process.listenerCount(name)),
      aborts: getEventListeners(stop.signal, 'abort').length,
    });
    // The second one finds the starter at work.
    for (const _ of [1, 2]) await supervisor.run(sh('true'), {}, stop.signal);
    await eventually(() => ownChildren().length === (hasWatchdog(mode) ? 1 : 0));
    const before = inUse();
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        supervisor.run(sh(`echo ${index}; cat`, { stdin: 'text' }), {}, stop.signal),
      ),
    );
    // The keepers of namespaces leave in their own time.
    await eventually(() => isDeepStrictEqual(inUse(), before));
  });

  test('watchdog and starter end with their supervisor', async () => {
    await supervisor.run(sh('true'), {}, never);
    await eventually(() => ownChildren().length === (hasWatchdog(mode) ? 1 : 0));
    await supervisor[Symbol.asyncDispose]();
    expect(childrenOf(process.pid)).toEqual([]);
  });

  test('a flood of output passes through without being held', async () => {
    const stdoutFile = path.join(dir.path, 'stdout');
    let lines = 0;
    let peak = 0;
    const sink = {
      line() {
        lines += 1;
        if (lines % 1000 === 0) peak = Math.max(peak, process.memoryUsage.rss());
      },
    };
    const spec = specOf([fixture('floods')], dir.path, { stdoutFile });
    // The first run warms the heap up, the second one shows what a flood costs.
    await supervisor.run(spec, sink, never);
    lines = 0;
    peak = 0;
    const before = process.memoryUsage.rss();
    const result = await supervisor.run(spec, sink, never);
    expect(result).toMatchObject({ end: { kind: 'exited', code: 0 }, stdoutBytes: 52_428_800 });
    expect(result.stdoutTail).toHaveLength(4096);
    expect((await stat(stdoutFile)).size).toBe(52_428_800);
    expect(lines).toBe(Math.ceil(52_428_800 / 87));
    expect(peak - before).toBeLessThan(24 * 1024 * 1024);
  });
});
