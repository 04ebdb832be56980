import { spawn, type ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import type { ProcessSpec } from '../../ports/process.ts';
import { listen, longestTalk, type Exit, type Talk } from './gate-talk.ts';

/** What a gate is made for. */
export type GateSpec = Pick<ProcessSpec, 'argv' | 'cwd' | 'env' | 'stdin'>;

export type Streams = {
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
};

/** The process that is a gate, or keeps the namespace of one, and the connection to the gate. */
export type Keeper = {
  readonly pid: number;
  readonly talk: Talk;
  /** What it was started with. Null: a gate without pipes of its own is of no use. */
  readonly streams: Streams | null;
  readonly gone: Promise<Exit>;
  say(text: string): void;
  /** Nothing more will be said. */
  hangUp(text?: string): void;
  /** Cuts the connection: a gate that has no permission ends. */
  leave(): void;
  /** The last line it printed to its stderr. To be asked when the gate did not come to be. */
  complaint(): Promise<string>;
  kill(): void;
};

export type NotStarted = {
  readonly error: string;
  readonly code: string;
};

/** Starts it as a child of this process, in a session of its own. */
export async function spawnKeeper(
  words: readonly string[],
  spec: GateSpec,
): Promise<Keeper | NotStarted> {
  const child = spawnIn(words, spec);
  if ('error' in child) return child;
  const failure = await spawned(child);
  const { pid, stdin, stdout, stderr } = child;
  const channel = child.stdio[3];
  if (failure !== null) return explain(failure, spec);
  if (pid === undefined || stdout === null || stderr === null || !(channel instanceof Socket)) {
    throw new Error('a spawned process has no pid or streams');
  }
  // The gate may be killed while we talk to it; its exit is what counts.
  channel.on('error', () => undefined);
  return {
    pid,
    talk: listen(channel),
    streams: { stdin, stdout, stderr },
    gone: new Promise<Exit>((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }));
    }),
    say: (text) => void channel.write(text),
    hangUp(text) {
      if (text === undefined) channel.end();
      else channel.end(text, () => channel.destroy());
    },
    leave: () => void channel.destroy(),
    complaint: () => textOf(stderr),
    kill: () => void child.kill('SIGKILL'),
  };
}

function spawnIn(words: readonly string[], spec: GateSpec): ChildProcess | NotStarted {
  const [program = '', ...args] = words;
  try {
    return spawn(program, args, {
      cwd: spec.cwd,
      env: spec.env,
      detached: true,
      stdio: [spec.stdin === null ? 'ignore' : 'pipe', 'pipe', 'pipe', 'pipe'],
    });
  } catch (error) {
    return explain(error, spec);
  }
}

/** Null once it runs, else why it does not. Later errors of the child are told by its exit. */
function spawned(child: ChildProcess): Promise<Error | null> {
  return new Promise((resolve) => {
    child.once('spawn', () => resolve(null));
    child.on('error', resolve);
  });
}

function textOf(stream: Readable): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    stream.on('data', (chunk: Buffer) => {
      if (text.length < longestTalk) text += chunk.toString('utf8');
    });
    stream.once('close', () => resolve(text.trim().split('\n').at(-1) ?? ''));
  });
}

function explain(error: unknown, spec: GateSpec): NotStarted {
  const code =
    error instanceof Error && 'code' in error && typeof error.code === 'string'
      ? error.code
      : 'EUNKNOWN';
  const program = spec.argv[0];
  const reasons: Readonly<Record<string, string>> = {
    E2BIG: 'its arguments and environment are longer than the system allows (E2BIG)',
    EAGAIN: 'the system allows no more processes (EAGAIN)',
    EMFILE: 'this process has too many open files (EMFILE)',
    ENOMEM: 'there is not enough memory (ENOMEM)',
    ENOENT: 'there is no /bin/sh (ENOENT)',
  };
  const reason = reasons[code] ?? (error instanceof Error ? error.message : String(error));
  return { code, error: `Cannot start \`${program}\`: ${reason}.` };
}
