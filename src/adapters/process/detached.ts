import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { openOwnLog } from '../files/own-file.ts';

export type Detached = {
  readonly pid: number | null;
  /** Settles when it has ended: its exit code, or null after a signal or when it could not be started. */
  readonly ended: Promise<number | null>;
};

/** Starts a program that outlives this one, in a session of its own. What it prints is appended to a file. */
export function startDetached(
  [program, ...args]: readonly [string, ...string[]],
  options: {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly logFile: string;
  },
): Detached {
  const log = openOwnLog(options.logFile, 0o600);
  try {
    const { cwd, env } = options;
    const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', log, log] });
    const { promise, resolve } = Promise.withResolvers<number | null>();
    child.once('error', () => resolve(null));
    child.once('exit', (code) => resolve(code));
    child.unref();
    return { pid: child.pid ?? null, ended: promise };
  } finally {
    closeSync(log);
  }
}
