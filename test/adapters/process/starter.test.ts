import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { listPids, readCommand, readStat } from '../../../src/adapters/process/proc.ts';
import { createSupervisor } from '../../../src/adapters/process/supervisor.ts';
import type { ProcessSpec } from '../../../src/ports/process.ts';
import { tempDir, type TempDir } from '../../support/temp-dir.ts';
import { startEngine } from './engine.ts';
import { eventually, livingIn, never, runs, specOf } from './fixture.ts';
import { namespaceModes } from './modes.ts';

const childrenOf = (parent: number): number[] =>
  listPids().filter((pid) => readStat(pid)?.parent === parent);

const unmarked = (text: string): string => text.replace(/__LOOPWRIGHT_RUNS=[0-9a-f:]+;/, '');

function starterOf(engine: number): number | undefined {
  return childrenOf(engine).find((pid) => readCommand(pid)?.includes('loopwright-starter'));
}

describe.each(namespaceModes)(
  'what the starter starts, contained by $mode',
  ({ mode, missing }) => {
    let dir: TempDir;
    let cwd: string;
    let supervisor: ReturnType<typeof createSupervisor>;

    beforeEach(async ({ skip }) => {
      skip(missing !== null, missing ?? '');
      dir = await tempDir();
      cwd = path.join(dir.path, `it's a "$folder"`);
      await mkdir(cwd);
      supervisor = createSupervisor({ containment: mode });
      // The first program of all is started without it.
      await supervisor.run(sh('true'), {}, never);
      await eventually(() => starterOf(process.pid) !== undefined);
      await supervisor.run(sh('true'), {}, never);
      skip(starterOf(process.pid) === undefined, 'env knows no --default-signal');
    });

    afterEach(async () => {
      await supervisor[Symbol.asyncDispose]();
      await dir[Symbol.asyncDispose]();
    });

    const sh = (script: string, changes: Partial<ProcessSpec> = {}): ProcessSpec =>
      specOf(['sh', '-c', script], cwd, changes);

    test('is the child of a small shell, with the environment, folder and signals it would have as ours', async () => {
      const env = {
        PATH: process.env['PATH'] ?? '/usr/bin:/bin',
        IFS: 'x',
        QUOTED: `'"$(echo no)\` \\ \n.\nsecond line`,
      };
      const keepers: number[] = [];
      const sink = {
        line() {
          keepers.push(...childrenOf(starterOf(process.pid) ?? 0));
        },
      };
      const script =
        'pwd; grep -E "^Sig(Ign|Blk)" /proc/self/status; env -0 | sort -z | tr "\\0" ";"';
      const { stdoutTail } = await supervisor.run(sh(script, { env }), sink, never);
      expect(keepers.length).toBeGreaterThan(0);
      expect(stdoutTail).toContain(`QUOTED=${env.QUOTED};`);
      await using other = createSupervisor({ containment: mode });
      const direct = await other.run(sh(script, { env }), {}, never);
      expect(unmarked(stdoutTail)).toBe(unmarked(direct.stdoutTail));
    });

    test('its variables are no arguments, which everybody can read', async () => {
      const seen = path.join(dir.path, 'seen');
      const recorder = path.join(dir.path, 'env');
      const script = `#!/bin/sh\nprintf '%s\\n' "$@" >> ${seen}\nexec /usr/bin/env "$@"\n`;
      await writeFile(recorder, script, { mode: 0o755 });
      vi.stubEnv('PATH', `${dir.path}:${process.env['PATH']}`);
      await using other = createSupervisor({ containment: mode });
      vi.unstubAllEnvs();
      const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', KEY: 'very-secret' };
      for (const _ of [1, 2]) await other.run(sh('test $KEY = very-secret', { env }), {}, never);
      const { end } = await other.run(sh('test $KEY = very-secret', { env }), {}, never);
      expect(end).toEqual({ kind: 'exited', code: 0 });
      const words = await readFile(seen, 'utf8');
      expect(words).toContain('--default-signal');
      expect(words).not.toContain('KEY=');
    });

    test('a variable that no shell can set is set without one', async () => {
      const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', 'odd.name': 'x', KEY: 'value' };
      const { stdoutTail } = await supervisor.run(sh('echo $KEY', { env }), {}, never);
      expect(stdoutTail).toBe('value\n');
    });

    test('a program that speaks in the place of its gate is not believed to be gone', async () => {
      const forge = 'for fd in /proc/1/fd/*; do { echo "over 0" > "$fd"; } 2>/dev/null & done';
      const script = `setsid sleep 60 & ${forge}; exec sleep 60`;
      const result = await supervisor.run(sh(script, { timeoutMs: 1000 }), {}, never);
      expect(livingIn(cwd)).toEqual([]);
      expect(result.end.kind).toMatch(/exited|timeout/);
    });

    test('nothing is left of it, and the shell buries it', async () => {
      await Promise.all(Array.from({ length: 5 }, () => supervisor.run(sh('true'), {}, never)));
      const starter = starterOf(process.pid)!;
      await eventually(() => childrenOf(starter).length === 0);
    });

    test('a starter that is killed takes its programs along, and is replaced', async () => {
      const first = starterOf(process.pid)!;
      const sink = { line: () => void process.kill(first, 'SIGKILL') };
      const { end } = await supervisor.run(sh('echo up; exec sleep 60'), sink, never);
      expect(end).toEqual({ kind: 'signalled', signal: 'SIGKILL' });
      expect(livingIn(cwd)).toEqual([]);
      const result = await supervisor.run(sh('echo again'), {}, never);
      expect(result.stdoutTail).toBe('again\n');
      expect(starterOf(process.pid)).not.toBe(first);
    });

    test('a starter that does not answer any more because it was killed meanwhile costs nothing', async () => {
      const starter = starterOf(process.pid)!;
      process.kill(starter, 'SIGSTOP');
      const running = supervisor.run(sh('echo here'), {}, never);
      process.kill(starter, 'SIGKILL');
      expect((await running).stdoutTail).toBe('here\n');
    });

    test('a program with too much to say for a shell is started without it', async () => {
      const long = 'x'.repeat(100_000);
      const { stdoutTail } = await supervisor.run(
        specOf(['sh', '-c', 'printf %s "$1" | wc -c', 'sh', long], cwd),
        {},
        never,
      );
      expect(stdoutTail.trim()).toBe('100000');
    });
  },
);

describe.each(namespaceModes)(
  'an engine with a starter, contained by $mode',
  ({ mode, missing }) => {
    test('leaves nothing when it is killed', async ({ skip }) => {
      skip(missing !== null, missing ?? '');
      await using dir = await tempDir();
      const script = 'trap "" TERM INT HUP; echo up; sleep 60 & wait; sleep 60';
      await using engine = startEngine(dir.path, [mode, 'again', 'sh', '-c', script]);
      await engine.next();
      expect(await engine.next()).toBe('up');
      const starter = starterOf(engine.pid);
      await engine.kill();
      await eventually(() => livingIn(dir.path).length === 0);
      if (starter !== undefined) await eventually(() => !runs(starter));
    });
  },
);
