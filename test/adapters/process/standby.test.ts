import { mkdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readCommand } from '../../../src/adapters/process/proc.ts';
import { createSupervisor } from '../../../src/adapters/process/supervisor.ts';
import type { ProcessIdentity, ProcessResult, ProcessSpec } from '../../../src/ports/process.ts';
import { tempDir, type TempDir } from '../../support/temp-dir.ts';
import { startEngine } from './engine.ts';
import { eventually, livingIn, never, specOf } from './fixture.ts';
import { hasWatchdog, modes } from './modes.ts';

describe.each(modes)('what stands ready, contained by $mode', ({ mode, missing }) => {
  beforeEach(({ skip }) => skip(missing !== null, missing ?? ''));

  let dir: TempDir;
  let cwd: string;
  let supervisor: ReturnType<typeof createSupervisor>;

  beforeEach(async () => {
    dir = await tempDir();
    cwd = path.join(dir.path, 'work');
    await mkdir(cwd);
    supervisor = createSupervisor({ containment: mode });
  });

  afterEach(async () => {
    await supervisor[Symbol.asyncDispose]();
    await dir[Symbol.asyncDispose]();
  });

  const program = (env: Record<string, string>, script = 'pwd -P; env'): ProcessSpec => {
    const spec = specOf(['sh', '-c', script], cwd);
    return { ...spec, env: { ...spec.env, ...env }, standby: { group: 'loop', isLong: true } };
  };
  /** The shells; what keeps their namespaces is called after them as well. */
  const gates = (): number[] =>
    livingIn(cwd).filter((pid) => /^\/bin\/sh\0.*loopwright-gate/s.test(readCommand(pid) ?? ''));

  async function run(spec: ProcessSpec): Promise<ProcessResult & { readonly pid: number }> {
    let pid = 0;
    const started = async (identity: ProcessIdentity): Promise<void> => {
      pid = identity.pid;
    };
    return { ...(await supervisor.run(spec, { started }, never)), pid };
  }

  /** Runs it until a gate stands ready for the next time. */
  async function prepared(spec: ProcessSpec): Promise<number> {
    await run(spec);
    await run(spec);
    await eventually(() => gates().length === 1);
    return gates()[0]!;
  }

  test('a program that was run twice starts from a gate the third time, with the variables of that time', async () => {
    const gate = await prepared(program({ LOOPWRIGHT_ITERATION: '2' }));
    const env = { LOOPWRIGHT_ITERATION: '3', LOOPWRIGHT_PROMPT_FILE: '/a b/$(c) `d` \\ "e"' };
    const { pid, end, stdoutTail } = await run(program(env));
    expect(end).toEqual({ kind: 'exited', code: 0 });
    expect(pid).toBe(gate);
    expect(stdoutTail).toContain(`LOOPWRIGHT_ITERATION=3\n`);
    expect(stdoutTail).toContain(`LOOPWRIGHT_PROMPT_FILE=${env.LOOPWRIGHT_PROMPT_FILE}\n`);
  });

  test.each([
    ['another value', { SETTING: 'new' }],
    ['one less', {}],
    ['a line break', { SETTING: 'old', LOOPWRIGHT_MODEL: 'a\nb' }],
  ])('any other difference of environments, such as %s, takes a new gate', async (_, env) => {
    const gate = await prepared(program({ SETTING: 'old' }));
    const { pid, stdoutTail } = await run(program(env));
    expect(pid).not.toBe(gate);
    for (const [name, value] of Object.entries(env))
      expect(stdoutTail).toContain(`${name}=${value}\n`);
    if (!('SETTING' in env)) expect(stdoutTail).not.toContain('SETTING=');
  });

  test('a folder that was made anew is another place', async () => {
    const gate = await prepared(program({}, 'pwd -P; ls; true'));
    await rename(cwd, `${cwd}-old`);
    await mkdir(path.join(cwd, 'inside'), { recursive: true });
    const { pid, stdoutTail } = await run(program({}, 'pwd -P; ls; true'));
    expect(pid).not.toBe(gate);
    expect(stdoutTail).toBe(`${cwd}\ninside\n`);
  });

  test('a gate that somebody has killed costs nothing but a new one', async () => {
    const gate = await prepared(program({}));
    process.kill(gate, 'SIGKILL');
    await eventually(() => gates().length === 0);
    const { pid, end } = await run(program({}));
    expect(end).toEqual({ kind: 'exited', code: 0 });
    expect(pid).not.toBe(gate);
  });

  test('a program that does not recur gets no gate, and one that is not run any more loses it', async () => {
    await prepared(program({}));
    for (const script of ['true 1', 'true 2', 'true 3']) {
      await run(program({}, script));
    }
    await eventually(() => gates().length === 0);
  });

  test('gates end with their group and with the supervisor', async () => {
    await prepared(program({}));
    await supervisor.endStandby('loop');
    expect(gates()).toEqual([]);
    await prepared(program({}));
    await supervisor[Symbol.asyncDispose]();
    expect(gates()).toEqual([]);
  });

  test('a gate does not outlive an engine that is killed', async () => {
    await using engine = startEngine(cwd, [mode, 'again', 'sh', '-c', 'echo up; exec sleep 60']);
    await engine.next();
    expect(await engine.next()).toBe('up');
    await eventually(() => gates().length >= (hasWatchdog(mode) ? 1 : 2));
    await engine.kill();
    await eventually(() => livingIn(cwd).length === 0);
  });
});
