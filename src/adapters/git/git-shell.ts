/**
 * Shells that start git for this process. Starting a program takes a process the longer the larger it is, and it can do
 * nothing else meanwhile; a shell is small and does it beside. Each runs one command at a time in a child of its own, in the
 * process group of the shell, so that whoever ends the command ends the group. One that is not used for a while leaves; all
 * of them leave when this process does, because their input ends.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { constants, tmpdir } from 'node:os';
import path from 'node:path';
import { FramedOutput, printTrailer } from './framed-output.ts';
import { createEnding } from './process-group.ts';

export type ShellCommand = {
  readonly cwd: string;
  readonly env: Environment;
  /** Shell text that becomes the command. */
  readonly script: string;
  readonly input: string | Uint8Array | null;
  /** An open file of this process that receives stdout, from its beginning. */
  readonly outputFd: number | null;
  /** More output ends the command. */
  readonly maxOutputBytes: number;
  readonly stderrTailBytes: number;
};

export type ShellOutcome = {
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly truncated: boolean;
};

type Environment = Readonly<Record<string, string>>;

/** The exit code when the folder is gone. git has no such code. */
export const noFolderCode = 125;

const mostShells = 4;
const idleMs = 3_000;
const maxInputBytes = 4 * 1024 * 1024;

const idle = new Set<GitShell>();
let count = 0;

/**
 * Runs a command in a shell; `started` gets what ends it. Null when it must be started the usual way: then nothing was done.
 * Settles when nothing of the command runs any more.
 */
export async function runInShell(
  command: ShellCommand,
  started: (stop: () => void) => void,
): Promise<ShellOutcome | null> {
  const shell = isPossible(command) ? takeShell(command.env) : null;
  if (shell === null) return null;
  const outcome = await shell.run(command, started);
  if (shell.isUsable) {
    idle.add(shell);
    shell.leaveWhenIdle(() => idle.delete(shell));
  }
  return outcome;
}

function takeShell(env: Environment): GitShell | null {
  for (const shell of idle) {
    idle.delete(shell);
    if (shell.isUsable) return shell;
  }
  if (count >= mostShells) return null;
  count += 1;
  return new GitShell(env, () => {
    count -= 1;
  });
}

const hasProc = process.platform === 'linux' && existsSync('/proc/self/fd');
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

function isPossible({ cwd, env, script, input }: ShellCommand): boolean {
  return (
    hasProc &&
    (input?.length ?? 0) <= maxInputBytes &&
    ![cwd, script, ...Object.values(env)].some((text) => text.includes('\0')) &&
    Object.keys(env).every((name) => variableName.test(name))
  );
}

class GitShell {
  readonly #child: ChildProcess;
  readonly #env: Environment;
  /** A file without a name, for what a command reads. */
  readonly #input: number;
  #isOver = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(env: Environment, gone: () => void) {
    this.#env = env;
    const name = path.join(tmpdir(), `loopwright-git-${randomBytes(8).toString('hex')}`);
    this.#input = openSync(name, 'wx+', 0o600);
    rmSync(name);
    const stdio = ['pipe', 'pipe', 'pipe', this.#input] as const;
    this.#child = spawn('/bin/sh', [], { cwd: '/', env, stdio: [...stdio], detached: true });
    const { promise, resolve } = Promise.withResolvers<unknown>();
    this.#child.once('error', resolve);
    this.#child.once('close', resolve);
    void promise.then(() => {
      this.#isOver = true;
      closeSync(this.#input);
      gone();
    });
    // One that was killed is noticed by its end.
    this.#child.stdin?.on('error', () => undefined);
  }

  get isUsable(): boolean {
    const { exitCode, signalCode } = this.#child;
    return !this.#isOver && exitCode === null && signalCode === null;
  }

  leaveWhenIdle(left: () => void): void {
    this.#hold(false);
    this.#timer = setTimeout(() => {
      left();
      this.#isOver = true;
      this.#child.stdin?.end();
    }, idleMs).unref();
  }

  run(command: ShellCommand, started: (stop: () => void) => void): Promise<ShellOutcome | null> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#hold(true);
    if (command.input !== null) fill(this.#input, command.input);
    const { promise, resolve } = Promise.withResolvers<ShellOutcome | null>();
    const child = this.#child;
    const nonce = randomBytes(16).toString('hex');
    const stdout = new FramedOutput(nonce);
    const stderr = new FramedOutput(nonce);
    const ending = createEnding(child);
    const stop = (): void => {
      this.#isOver = true;
      ending.start();
    };
    const { maxOutputBytes, stderrTailBytes } = command;
    const look = (): void => {
      const { exitCode } = stdout;
      if (exitCode === null || !stderr.isOver || this.#isOver) return;
      // Something that an earlier command left running has written into the stream.
      if (stdout.hasBegun) settle(outcome(exitCode));
      else stop();
    };
    const onOutput = (chunk: Buffer): void => {
      stdout.push(chunk);
      if (stdout.size > maxOutputBytes) stop();
      look();
    };
    const onError = (chunk: Buffer): void => {
      stderr.push(chunk);
      stderr.keepLast(stderrTailBytes);
      look();
    };
    const onClose = (code: number | null, signal: NodeJS.Signals | null): void => {
      const wasEnded = signal === null ? code || 1 : 128 + constants.signals[signal];
      // One that was killed before it was asked has done nothing.
      settle(stdout.hasBegun || this.#isOver ? outcome(wasEnded) : null);
    };
    const onFailure = (): void => settle(null);
    const outcome = (exitCode: number): ShellOutcome => ({
      exitCode,
      stdout: stdout.first(maxOutputBytes),
      stderr: stderr.last(stderrTailBytes).toString('utf8'),
      truncated: stdout.size > maxOutputBytes,
    });
    const settle = (result: ShellOutcome | null): void => {
      ending.stop();
      child.stdout?.off('data', onOutput);
      child.stderr?.off('data', onError);
      child.off('close', onClose);
      child.off('error', onFailure);
      resolve(result);
    };
    child.stdout?.on('data', onOutput);
    child.stderr?.on('data', onError);
    child.once('close', onClose);
    child.once('error', onFailure);
    started(stop);
    child.stdin?.write(scriptOf(command, this.#env, nonce));
    return promise;
  }

  /** An idle shell does not keep this process from ending. */
  #hold(isHeld: boolean): void {
    const { stdin, stdout, stderr } = this.#child;
    const sockets = [stdin, stdout, stderr].filter((each) => each instanceof Socket);
    for (const each of [this.#child, ...sockets]) {
      if (isHeld) each.ref();
      else each.unref();
    }
  }
}

function fill(fd: number, input: string | Uint8Array): void {
  const bytes = typeof input === 'string' ? Buffer.from(input) : input;
  ftruncateSync(fd, 0);
  for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at, bytes.length - at, at);
}

/** The part in parentheses is read as a whole before anything of it runs: cut short, it does nothing. */
function scriptOf(command: ShellCommand, known: Environment, nonce: string): string {
  const { cwd, env, script, input, outputFd } = command;
  const stale = Object.keys(known).filter((name) => !(name in env));
  const changed = Object.entries(env).filter(([name, value]) => known[name] !== value);
  const from = input === null ? '/dev/null' : '/proc/self/fd/3';
  const to = outputFd === null ? '' : `>/proc/${process.pid}/fd/${outputFd}`;
  return `printf ${nonce}
(
exec 3<&-
${stale.length === 0 ? '' : `unset ${stale.join(' ')}`}
${changed.map(([name, value]) => `export ${name}=${quoted(value)}`).join('\n')}
cd ${quoted(cwd)} 2>/dev/null || exit ${noFolderCode}
${script}
) <${from} ${to}
__code=$?
${printTrailer(nonce)}
${printTrailer(nonce)} >&2
`;
}

/** As one word of a shell. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
