import { homedir } from 'node:os';
import { isatty } from 'node:tty';
import { createSystemClock } from '../adapters/clock/system-clock.ts';
import type { CliContext, OpenOptions, Output, Signal } from './context.ts';
import { exitCodes } from './exit-code.ts';
import { packageVersion } from '../package-version.ts';
import type { LiveListener } from '../ports/live.ts';
import { createRedactor } from '../core/redact/redact-values.ts';
import { registry } from './registry.ts';
import { runCli } from './run-cli.ts';

const maxStdinBytes = 10 * 1024 * 1024;
const signalExits: Readonly<Record<Signal, number>> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 };
const supported: readonly string[] = ['linux', 'darwin'];

/** The program: builds the context from the process, runs the command line, sets the exit code. */
export async function main(): Promise<void> {
  if (!supported.includes(process.platform)) {
    process.stderr.write(
      'loopwright runs on Linux and macOS; on Windows run it inside WSL (https://aka.ms/wsl).\n',
    );
    process.exitCode = exitCodes.refused;
    return;
  }
  const argv = process.argv.slice(2);
  const listeners = new Set<(signal: Signal) => void>();
  let hasDriven = false;
  const context = createContext(listeners, () => {
    hasDriven = true;
  });
  listenForSignals(listeners);
  listenForClosedPipes(() => hasDriven);
  listenForMistakes(context, argv);
  process.exitCode = await runCli(argv, context, registry);
  endDespiteOpenHandles();
}

function isPrinted(): boolean {
  const streams = [process.stdout, process.stderr];
  return streams.every(({ destroyed, writableLength }) => destroyed || writableLength === 0);
}

/** How long what a command has left behind, such as a timer of a strategy, may keep the process after its end. */
const longestEndMs = 1000;

/** A process with nothing open ends by itself, before the timer; one that something keeps alive ends when all was printed. */
function endDespiteOpenHandles(): void {
  setInterval(() => {
    if (isPrinted()) process.exit();
  }, longestEndMs).unref();
}

/** `driving` is told when a command starts work that outlives its output. */
function createContext(listeners: Set<(signal: Signal) => void>, driving: () => void): CliContext {
  const { env } = process;
  const redact = createRedactor(env);
  const context: CliContext = {
    cwd: process.cwd(),
    env,
    home: homedir(),
    version: packageVersion(),
    program: [process.execPath, ...process.execArgv, ...process.argv.slice(1, 2)],
    clock: createSystemClock(),
    out: createOutput(process.stdout, 1, redact),
    err: createOutput(process.stderr, 2, redact),
    readStdin: (maxBytes) => readStdin(context, maxBytes),
    stdinIsTerminal: isatty(0),
    onSignal(listener) {
      driving();
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    open: (options) => open(context, options),
  };
  return context;
}

async function open(
  { cwd, env, home, version, err }: CliContext,
  options: OpenOptions = {},
): ReturnType<CliContext['open']> {
  const { openProjectAt } = await import('../daemon/compose.ts');
  const say = (text: string) => err.write(`${text}\n`);
  const tell: LiveListener = (event) => {
    if (event.kind === 'notice') say(event.text);
  };
  const opened = await openProjectAt({
    cwd: await ownerOf(cwd, env, err),
    env,
    home,
    version,
    ...(options.onlyReads === true ? { publish: tell } : {}),
    ...(options.publish === undefined ? { onLocked: say, tell: say } : {}),
    ...options,
    inside: async (call) => (await import('./inside/run-inside.ts')).runInside(call),
  });
  for (const { message } of opened.config.warnings) err.write(`warning: ${message}\n`);
  return opened;
}

/** A person in the worktree of a loop means the project it belongs to; programs of the loop do not. */
async function ownerOf(cwd: string, env: CliContext['env'], err: Output): Promise<string> {
  if ((env['LOOPWRIGHT_LOOP'] ?? '') !== '' || !cwd.includes('/worktrees/')) return cwd;
  const { callingLoop } = await import('./calling-loop.ts');
  const loop = callingLoop({ cwd, env });
  if (loop === null || loop.root === null) return cwd;
  err.write(`note: this is the worktree of ${loop.id}; looking at ${loop.root}\n`);
  return loop.root;
}

function createOutput(
  stream: NodeJS.WriteStream,
  fd: number,
  redact: (text: string) => string,
): Output {
  const isTerminal = isatty(fd);
  const { NO_COLOR: noColour = '', TERM: terminal } = process.env;
  return {
    write(text) {
      if (!stream.destroyed && stream.writable) stream.write(redact(text));
    },
    isTerminal: isTerminal && terminal !== 'dumb',
    hasColour: isTerminal && noColour === '' && terminal !== 'dumb',
    get columns() {
      return isTerminal ? stream.columns || 80 : 80;
    },
    get rows() {
      return isTerminal ? stream.rows || 24 : 24;
    },
  };
}

/** Without a listener a signal ends the process at once: nothing is held that a crash would lose. */
function listenForSignals(listeners: ReadonlySet<(signal: Signal) => void>): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (listeners.size === 0) process.exit(signalExits[signal]);
      for (const listener of listeners) listener(signal);
    });
  }
}

/**
 * A reader that went away (`| head`) is no error. A loop that is being driven goes on without it, as it does when the disk
 * behind its output is full, and the exit code tells how it ended.
 */
function listenForClosedPipes(hasDriven: () => boolean): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      const { code } = error;
      if (code !== 'EPIPE' && code !== 'EIO' && code !== 'ENOSPC') throw error;
      if (!hasDriven()) process.exit(code === 'ENOSPC' ? exitCodes.failed : exitCodes.ok);
    });
  }
}

/** An error nobody awaited is told like any other; the loop it may have hit goes on from its record. */
function listenForMistakes(context: CliContext, argv: readonly string[]): void {
  process.on('uncaughtException', (error) => {
    void import('./report-error.ts')
      .then(({ reportError }) => reportError(error, context, argv))
      .then((exitCode) => process.exit(exitCode));
  });
}

async function readStdin(
  { clock, err, stdinIsTerminal }: CliContext,
  maxBytes = maxStdinBytes,
): Promise<string> {
  const { collectText } = await import('./collect-text.ts');
  const tell = (text: string) => err.write(`${text}\n`);
  if (stdinIsTerminal) tell('reading from the terminal; Ctrl-D ends it');
  const silentMs = stdinIsTerminal ? Number.MAX_SAFE_INTEGER : undefined;
  return collectText(process.stdin, {
    name: 'standard input',
    maxBytes,
    clock,
    tell,
    ...(silentMs === undefined ? {} : { silentMs }),
  });
}
