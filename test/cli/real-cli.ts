import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';

const entry = path.join(import.meta.dirname, '../../bin/loopwright.cjs');

export type RealRun = {
  readonly child: ChildProcess;
  readonly ended: Promise<{
    readonly exitCode: number | null;
    readonly out: string;
    readonly err: string;
  }>;
  /** Resolves when stdout and stderr together fit. */
  printed(fits: (text: string) => boolean): Promise<void>;
};

/** The published entry as a real process. */
export function realCli(
  cwd: string,
  env: Readonly<Record<string, string>>,
  argv: readonly string[],
  stdin = '',
): RealRun {
  return realProgram([process.execPath, entry, ...argv], cwd, env, stdin);
}

/** The published entry through another program (a tracer, a namespace) that is given its command line. */
export function realCliThrough(
  through: (argv: readonly string[]) => readonly [string, ...string[]],
  cwd: string,
  env: Readonly<Record<string, string>>,
  argv: readonly string[],
): RealRun {
  return realProgram(through([process.execPath, entry, ...argv]), cwd, env, '');
}

function realProgram(
  [program, ...args]: readonly [string, ...string[]],
  cwd: string,
  env: Readonly<Record<string, string>>,
  stdin: string,
): RealRun {
  const child = spawn(program, args, { cwd, env, stdio: 'pipe' });
  const text = { out: '', err: '' };
  let watchers: (() => void)[] = [];
  const listen = (stream: NodeJS.ReadableStream, name: 'out' | 'err') => {
    stream.setEncoding('utf8');
    stream.on('data', (chunk: string) => {
      text[name] += chunk;
      for (const watcher of watchers) watcher();
    });
  };
  listen(child.stdout, 'out');
  listen(child.stderr, 'err');
  child.stdin.on('error', () => {});
  child.stdin.end(stdin);
  const ended = new Promise<{ exitCode: number | null; out: string; err: string }>((resolve) => {
    child.on('close', (exitCode) => resolve({ exitCode, ...text }));
  });
  return {
    child,
    ended,
    printed: (fits) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!fits(text.out + text.err)) return;
          watchers = watchers.filter((each) => each !== look);
          resolve();
        };
        watchers.push(look);
        void ended.then(() => reject(new Error(`ended before: ${text.out}${text.err}`)));
        look();
      }),
  };
}
