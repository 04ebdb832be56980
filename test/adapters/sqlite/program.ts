import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A program of `programs/`, run by its own Node as another process. Killed, if it still lives, at the end. */
export type Program = AsyncDisposable & {
  readonly process: ChildProcess;
  /** The next line of stdout; null at its end. */
  line(): Promise<string | null>;
  /** Everything on stdout from here to the end, when the process is gone. */
  rest(): Promise<readonly string[]>;
  tell(text: string): void;
};

export function startProgram(
  name: string,
  args: readonly string[],
  options: SpawnOptions = {},
): Program {
  const script = fileURLToPath(new URL(`./programs/${name}.ts`, import.meta.url));
  const child = spawn(process.execPath, [script, ...args], {
    ...options,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const lines = readLines(child);
  return {
    process: child,
    async line() {
      const next = await lines.next();
      return next.done === true ? null : next.value;
    },
    async rest() {
      const rest: string[] = [];
      for await (const line of lines) rest.push(line);
      await exited;
      return rest;
    },
    tell: (text) => child.stdin?.write(`${text}\n`),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

async function* readLines(child: ChildProcess): AsyncGenerator<string, void, undefined> {
  let pending = '';
  for await (const chunk of child.stdout ?? []) {
    const parts = `${pending}${String(chunk)}`.split('\n');
    pending = parts.pop() ?? '';
    yield* parts;
  }
}
