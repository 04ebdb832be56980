import path from 'node:path';
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts';
import type { CliContext, Output, Signal } from '../../src/cli/context.ts';
import type { RegistryEntry } from '../../src/cli/registry/entry.ts';
import { registry } from '../../src/cli/registry.ts';
import { runCli } from '../../src/cli/run-cli.ts';
import { openProjectAt } from '../../src/daemon/compose.ts';

export type MemoryCli = {
  /** Runs a command line and answers with its exit code. */
  run(...argv: readonly string[]): Promise<Ran>;
  /** Sends a signal to the command that runs. */
  signal(signal: Signal): void;
  /** Resolves when what the running command has printed fits. */
  printed(fits: (text: string) => boolean): Promise<void>;
};

type Ran = { readonly exitCode: number; readonly out: string; readonly err: string };

export type MemoryOptions = {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly registry?: readonly RegistryEntry[];
  /** Columns of a terminal with colours; none: no terminal. */
  readonly terminal?: number;
};

/** The whole CLI without a process: real project, real engine, captured output. */
export function memoryCli(options: MemoryOptions): MemoryCli {
  const { cwd, env = {}, stdin = '' } = options;
  const listeners = new Set<(signal: Signal) => void>();
  let watchers: (() => void)[] = [];
  let text = { out: '', err: '' };

  const output = (name: 'out' | 'err'): Output => ({
    write(written) {
      text[name] += written;
      for (const watcher of watchers) watcher();
    },
    isTerminal: options.terminal !== undefined,
    hasColour: options.terminal !== undefined,
    columns: options.terminal ?? 80,
  });

  const context: CliContext = {
    cwd,
    env,
    home: env['HOME'] ?? '/nonexistent',
    version: '9.9.9',
    program: [process.execPath, path.join(import.meta.dirname, '../../bin/loopwright.cjs')],
    clock: createSystemClock(),
    out: output('out'),
    err: output('err'),
    readStdin: async () => stdin,
    stdinIsTerminal: false,
    onSignal(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    open: (given = {}) =>
      openProjectAt({ cwd, env, home: env['HOME'] ?? '/nonexistent', version: '9.9.9', ...given }),
  };

  return {
    async run(...argv) {
      text = { out: '', err: '' };
      const exitCode = await runCli(argv, context, options.registry ?? registry);
      return { exitCode, ...text };
    },
    signal(signal) {
      for (const listener of listeners) listener(signal);
    },
    printed: (fits) =>
      new Promise((resolve) => {
        const look = () => {
          if (!fits(text.out + text.err)) return;
          watchers = watchers.filter((each) => each !== look);
          resolve();
        };
        watchers.push(look);
        look();
      }),
  };
}
