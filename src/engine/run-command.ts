import path from 'node:path';
import { checkEnvironment } from '../core/env/allow-list.ts';
import { fillReserved, reservedVariables } from '../core/env/reserved.ts';
import type { Loop } from '../core/loop/loop.ts';
import type { ProcessEnd } from '../ports/process.ts';
import type { Engine } from './engine.ts';
import { loopSandbox } from './loop-sandbox.ts';

/** How much of each stream is kept in memory; the files have all of it. */
export const keptBytes = 1024 * 1024;
const defaultTimeoutMs = 300_000;

export type CommandSpec = {
  /** Shell command of the user's. */
  readonly command: string;
  /** Folder its output is written to, as `<name>.stdout.log` and `<name>.stderr.log`. */
  readonly dir: string;
  readonly name: string;
  /** Default: the loop's workspace. */
  readonly cwd?: string;
  readonly timeoutMs?: number;
  /** Text on stdin; none: /dev/null. */
  readonly stdin?: string;
  /** Replaces the environment of checks. */
  readonly env?: Readonly<Record<string, string>>;
  /** Runs what an agent may have written: inside the walls of the loop, if it has any. */
  readonly walled?: boolean;
  /** Folders it may write although it runs inside walls. */
  readonly writable?: readonly string[];
};

/** A home and a temporary folder of its own, and nothing else of the user's environment. */
export type Room = Required<Pick<CommandSpec, 'env' | 'writable'>>;

export type CommandResult = {
  readonly end: ProcessEnd;
  readonly durationMs: number;
  readonly stdout: string;
  readonly stderr: string;
  /** More was printed to stdout than is kept in memory. */
  readonly isCut: boolean;
  /** Both streams, stdout first. */
  readonly output: string;
};

/** Runs one of the user's commands (check, setup, hook) with the environment of checks, and ends all it started. */
export async function runCommand(
  engine: Engine,
  loop: Loop,
  spec: CommandSpec,
  signal: AbortSignal,
): Promise<CommandResult> {
  const timeoutMs = spec.timeoutMs ?? defaultTimeoutMs;
  const cwd = spec.cwd ?? loop.workspace.path;
  engine.project.requireIntact(cwd);
  engine.artifacts.requireIntact(spec.dir);
  const { env = environmentOfChecks(engine, loop) } = spec;
  const command = fillReserved(spec.command, spec.env === undefined ? {} : reservedFor(loop));
  const result = await engine.supervisor.run(
    {
      argv: ['/bin/sh', '-c', command],
      cwd,
      env,
      stdin: spec.stdin ?? null,
      stdoutFile: path.join(spec.dir, `${spec.name}.stdout.log`),
      stderrFile: path.join(spec.dir, `${spec.name}.stderr.log`),
      tailBytes: keptBytes,
      timeoutMs,
      graceMs: Math.min(Math.max(timeoutMs / 10, 200), 5000),
      sandbox: spec.walled === true ? loopSandbox(engine, loop, spec.writable) : null,
      standby: { group: loop.id, isLong: false },
    },
    {},
    signal,
  );
  const { end, durationMs, stdoutTail: stdout, stderrTail: stderr } = result;
  const output = [stdout, stderr].filter((text) => text !== '').join('\n');
  const isCut = result.stdoutBytes > keptBytes;
  return { end, durationMs: Math.round(durationMs), stdout, stderr, isCut, output };
}

/** What checks, setups and hooks of a loop are given. */
export function environmentOfChecks(engine: Engine, loop: Loop): Record<string, string> {
  const { pass, set } = loop.settings.env;
  return checkEnvironment(engine.env, { pass, set, reserved: reservedFor(loop) });
}

/** The variables that say which loop and iteration this is. */
export function reservedFor(loop: Loop): Record<string, string> {
  return reservedVariables({
    loopId: loop.id,
    taskId: loop.taskId,
    iteration: loop.iterations.at(-1)?.number ?? 0,
    maxIterations: loop.settings.limits['max-iterations'],
    model: loop.iterations.at(-1)?.model ?? null,
    promptFile: null,
    home: null,
  });
}
