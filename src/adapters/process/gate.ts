/**
 * Starts a program behind a gate: a shell in a session of its own that waits on descriptor 3 for permission and then
 * becomes the program, or starts it when it is the first process of a namespace. So the identity can be stored
 * before the program acts, and if we die in between, the descriptor ends and nothing runs.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { constants, openSync } from 'node:fs';
import { constants as system } from 'node:os';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import type { ContainmentMode, ProcessSpec } from '../../ports/process.ts';
import { joinCgroup, removeCgroup } from './cgroup.ts';
import { isNamespace, type Enclosure } from './containment.ts';
import { gateName, namespaceGate, plainGate } from './gate-script.ts';
import { firstChild } from './proc.ts';

export type Exit = { readonly code: number | null; readonly signal: string | null };

/** A program that is started but may not act yet. */
export type GatedProcess = {
  readonly mode: ContainmentMode;
  /** Of the program, or of the first process of its namespace. */
  readonly pid: number;
  /** The cgroup it is in, where that keeps it together. */
  readonly cgroup: string | null;
  /** Null when the program gets no input. */
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** How the program ended. `isAlone`: the kernel says that it left nothing behind. */
  readonly ended: Promise<Exit & { readonly isAlone: boolean }>;
  /** Our own child is gone: the program itself, or what keeps its namespace. */
  readonly gone: Promise<void>;
  /** Lets the program run, with `marks` in its environment and these variables (`NAME=value`, one line each) changed. */
  open(marks: string, variables?: readonly string[]): void;
  /** Ends the gate instead; the program never runs. */
  abandon(): void;
  /** Lets the first process of a namespace leave, which is empty by now. */
  dismiss(): void;
  /** Kills our own child. For when it does not leave. */
  kill(): void;
};

export type NotStarted = {
  readonly error: string;
  readonly code: string;
};

/** The gate itself never came to be: its enclosure does not work, now or on this machine. */
export type NoGate = { readonly noGate: string };

/** What a gate is made for. */
export type GateSpec = Pick<ProcessSpec, 'argv' | 'cwd' | 'env' | 'stdin'>;

export async function startBehindGate(
  spec: GateSpec,
  enclosure: Enclosure,
): Promise<GatedProcess | NotStarted | NoGate> {
  const child = spawnShell(spec, enclosure);
  if ('error' in child) return child;
  const failure = await spawned(child);
  const { pid, stdout, stderr } = child;
  const channel = child.stdio[3];
  if (failure !== null) return explain(failure, spec);
  if (pid === undefined || stdout === null || stderr === null || !(channel instanceof Socket)) {
    throw new Error('a spawned process has no pid or streams');
  }
  const gone = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  // The gate may be killed while we talk to it; its exit is what counts.
  channel.on('error', () => undefined);
  const talk = listen(channel);
  const greeting = await talk.next();
  const isOwnNamespace = isNamespace(enclosure.mode);
  const first = isOwnNamespace ? firstChild(pid) : pid;
  if (greeting === null || first === null) {
    for (const stream of [channel, child.stdin, stdout]) stream?.destroy();
    const complaint = await textOf(stderr);
    await gone;
    return { noGate: complaint === '' ? 'it ended before the program could start' : complaint };
  }
  const group = enclosure.cgroup === undefined ? null : enter(enclosure.cgroup, first);
  if (group instanceof Error) {
    for (const stream of [channel, child.stdin, stdout, stderr]) stream?.destroy();
    await gone;
    return { noGate: group.message };
  }
  const streams = (greeting === 'pipes' ? openPipes(first, spec.stdin !== null) : null) ?? {
    kind: 'sockets',
    stdin: child.stdin,
    stdout,
    stderr,
  };
  return {
    mode: enclosure.mode,
    pid: first,
    cgroup: group,
    ended: isOwnNamespace ? readEnd(talk) : gone.then((exit) => ({ ...exit, isAlone: false })),
    // Its last words may still be on their way when it is gone already.
    gone: gone
      .then(() => talk.over)
      .then(() => {
        channel.destroy();
        // What the program left behind keeps it; whoever ends that removes it.
        if (group !== null) removeCgroup(group);
      }),
    stdin: streams.stdin,
    stdout: streams.stdout,
    stderr: streams.stderr,
    open(marks, variables = []) {
      if (streams.kind === 'pipes')
        for (const unused of [child.stdin, stdout, stderr]) unused?.destroy();
      const input = streams.kind === 'pipes' && spec.stdin !== null ? 'pipe' : 'as-is';
      const words = `${streams.kind} ${input} ${variables.length} ${marks}`;
      const permission = [words, ...variables].map((line) => `${line}\n`).join('');
      if (isOwnNamespace) channel.write(permission);
      else channel.end(permission, () => channel.destroy());
    },
    abandon() {
      for (const stream of [channel, child.stdin, stdout, stderr]) stream?.destroy();
      for (const stream of [streams.stdin, streams.stdout, streams.stderr]) stream?.destroy();
    },
    dismiss: () => void channel.end(),
    kill: () => void child.kill('SIGKILL'),
  };
}

/** Before the program exists, so that all it starts is born inside. */
function enter(parent: string, pid: number): string | Error {
  try {
    return joinCgroup(parent, pid);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function spawnShell(spec: GateSpec, { mode, prefix }: Enclosure): ChildProcess | NotStarted {
  const script = isNamespace(mode) ? namespaceGate : plainGate;
  const gate = ['/bin/sh', '-c', script, gateName, ...spec.argv];
  const [program = '', ...args] = [...prefix, ...gate];
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

/** Null once the shell runs, else why it does not. Later errors of the child are told by its exit. */
function spawned(child: ChildProcess): Promise<Error | null> {
  return new Promise((resolve) => {
    child.once('spawn', () => resolve(null));
    child.on('error', resolve);
  });
}

type Talk = {
  /** The next line of the gate; null when it says nothing more. */
  next(): Promise<string | null>;
  /** Nobody is left at the other end. */
  readonly over: Promise<void>;
};

const longestTalk = 4096;

/** Everything the gate says, line by line. More than it could have to say ends the talk. */
function listen(channel: Socket): Talk {
  const lines: string[] = [];
  const waiting: ((line: string | null) => void)[] = [];
  let text = '';
  let heard = 0;
  let isOver = false;
  const over = Promise.withResolvers<void>();
  const hand = (): void => {
    const count = isOver ? waiting.length : lines.length;
    for (const resolve of waiting.splice(0, count)) resolve(lines.shift() ?? null);
  };
  const finish = (): void => {
    isOver = true;
    hand();
    over.resolve();
  };
  channel.on('data', (chunk: Buffer) => {
    heard += chunk.length;
    if (heard > longestTalk) return;
    const parts = (text + chunk.toString('latin1')).split('\n');
    text = parts.pop() ?? '';
    lines.push(...parts);
    hand();
  });
  channel.once('end', finish);
  channel.once('close', finish);
  return {
    over: over.promise,
    next: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        hand();
      }),
  };
}

/** What the first process tells about the program. If it tells nothing, it was killed, and all the others with it. */
async function readEnd(talk: Talk): Promise<Exit & { readonly isAlone: boolean }> {
  let isKilled = false;
  for (;;) {
    const line = await talk.next();
    if (line === null) return { code: null, signal: 'SIGKILL', isAlone: false };
    const [word, code] = line.split(' ');
    if ((word === 'over' || word === 'left') && code !== undefined && /^\d{1,3}$/.test(code)) {
      const signal = isKilled ? signalName(Number(code) - 128) : null;
      const exit = signal === null ? { code: Number(code), signal } : { code: null, signal };
      return { ...exit, isAlone: word === 'over' };
    }
    isKilled = true;
  }
}

function signalName(number: number): string | null {
  const found = Object.entries(system.signals).find(([, value]) => value === number);
  return found?.[0] ?? null;
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

type PipeStreams = {
  readonly kind: 'pipes';
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
};

/** Our ends of the pipes the gate holds; null when the system does not let us open them. */
function openPipes(pid: number, withInput: boolean): PipeStreams | null {
  const opened: Socket[] = [];
  const open = (descriptor: number, flag: number): Socket => {
    const fd = openSync(`/proc/${pid}/fd/${descriptor}`, flag | constants.O_NONBLOCK);
    const isInput = flag === constants.O_WRONLY;
    const socket = isInput ? new Socket({ fd, readable: false, writable: true }) : createReader(fd);
    opened.push(socket);
    return socket;
  };
  try {
    const stdout = open(5, constants.O_RDONLY);
    const stderr = open(6, constants.O_RDONLY);
    return { kind: 'pipes', stdin: withInput ? open(4, constants.O_WRONLY) : null, stdout, stderr };
  } catch {
    // The gate ended already, or reading another process's descriptors is forbidden: its sockets still work.
    for (const socket of opened) socket.destroy();
    return null;
  }
}

const readBytes = 65_536;
const mostSpares = 32;
const spareBuffers: Buffer[] = [];

/** Reads into one buffer for ever, so that a flood leaves no garbage: a chunk is good only while it is handed over. */
function createReader(fd: number): Socket {
  const buffer = spareBuffers.pop() ?? Buffer.allocUnsafeSlow(readBytes);
  const socket: Socket = new Socket({
    fd,
    readable: true,
    writable: false,
    onread: {
      buffer,
      callback(length) {
        socket.emit('data', buffer.subarray(0, length));
        return true;
      },
    },
  });
  socket.once('close', () => {
    if (spareBuffers.length < mostSpares) spareBuffers.push(buffer);
  });
  return socket;
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
