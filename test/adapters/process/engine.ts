import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

export type Engine = AsyncDisposable & {
  readonly pid: number;
  /** The next JSON value it printed; null when it ended. */
  next(): Promise<any>;
  kill(): Promise<void>;
  readonly exited: Promise<unknown>;
};

/** A process that supervises a program in `cwd`: see `engine-program.ts`. `before` stands before it. */
export function startEngine(
  cwd: string,
  args: readonly string[],
  before: readonly string[] = [],
): Engine {
  const program = path.join(import.meta.dirname, 'engine-program.ts');
  const [file = '', ...rest] = [...before, process.execPath, program, ...args];
  const child = spawn(file, rest, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  return {
    pid: child.pid!,
    next: async () => JSON.parse((await lines.next()).value ?? 'null'),
    kill,
    exited,
    [Symbol.asyncDispose]: kill,
  };
}
