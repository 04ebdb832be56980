/**
 * Starts a program behind a gate: a shell in a session of its own that waits on descriptor 3 for permission and then
 * becomes the program. So its identity can be stored before it acts, and if we die in between, the
 * descriptor ends and nothing runs.
 *
 * Node connects children by sockets, which cannot be opened again by name: `echo x > /dev/stderr` or
 * `cat /dev/stdin` fail on them. On Linux the gate therefore makes real pipes (a here-document is one) and
 * holds both ends until we have opened ours through `/proc`.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import type { ProcessSpec } from '../../ports/process.ts';
import { markVariable } from './mark.ts';

/** 3: we talk here; 4: stdin; 5 and 7: stdout; 6 and 8: stderr. Dash knows no descriptors above 9. */
const script = `
__lw_kind=sockets
if [ -e /proc/self/fd ]; then
  exec 4<<. 5<<. 6<<.
-
.
-
.
-
.
  read -r __lw_line <&4; read -r __lw_line <&5; read -r __lw_line <&6
  if [ -p /proc/self/fd/4 ] && [ -p /proc/self/fd/5 ] && [ -p /proc/self/fd/6 ]; then
    exec 7>/proc/self/fd/5 8>/proc/self/fd/6
    __lw_kind=pipes
  fi
fi
echo "$__lw_kind" >&3
read -r __lw_kind __lw_input __lw_marks <&3 || exit 125
[ "$__lw_kind" = pipes ] && exec 1>&7 2>&8
[ "$__lw_input" = pipe ] && exec 0<&4
exec 3>&- 4<&- 5<&- 6<&- 7>&- 8>&-
export ${markVariable}="$__lw_marks"
exec "$@"
`;

export type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

/** A program that is started but may not act yet. */
export type GatedProcess = {
  readonly pid: number;
  /** Null when the program gets no input. */
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exited: Promise<Exit>;
  /** Lets the program run, with `marks` in its environment. */
  open(marks: string): void;
  /** Ends the gate instead; the program never runs. */
  abandon(): void;
};

export type NotStarted = { readonly error: string; readonly code: string };

export async function startBehindGate(spec: ProcessSpec): Promise<GatedProcess | NotStarted> {
  const child = spawnShell(spec);
  if ('error' in child) return child;
  const failure = await spawned(child);
  const { pid, stdout, stderr } = child;
  const channel = child.stdio[3];
  if (failure !== null) return explain(failure, spec);
  if (pid === undefined || stdout === null || stderr === null || !(channel instanceof Socket)) {
    throw new Error('a spawned process has no pid or streams');
  }
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  // The gate may be killed while we talk to it; its exit is what counts.
  channel.on('error', () => undefined);
  const hasPipes = (await firstLine(channel)) === 'pipes';
  const streams = (hasPipes ? openPipes(pid, spec.stdin !== null) : null) ?? {
    kind: 'sockets',
    stdin: child.stdin,
    stdout,
    stderr,
  };
  return {
    pid,
    exited,
    stdin: streams.stdin,
    stdout: streams.stdout,
    stderr: streams.stderr,
    open(marks) {
      if (streams.kind === 'pipes')
        for (const unused of [child.stdin, stdout, stderr]) unused?.destroy();
      const input = streams.kind === 'pipes' && spec.stdin !== null ? 'pipe' : 'as-is';
      channel.end(`${streams.kind} ${input} ${marks}\n`, () => channel.destroy());
    },
    abandon() {
      for (const stream of [channel, child.stdin, stdout, stderr]) stream?.destroy();
      for (const stream of [streams.stdin, streams.stdout, streams.stderr]) stream?.destroy();
    },
  };
}

function spawnShell(spec: ProcessSpec): ChildProcess | NotStarted {
  try {
    return spawn('/bin/sh', ['-c', script, 'loopwright-gate', ...spec.argv], {
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

function firstLine(channel: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const finish = (): void => {
      channel.off('data', read);
      channel.off('close', finish);
      channel.off('end', finish);
      resolve(text.trim());
    };
    const read = (chunk: Buffer): void => {
      text += chunk.toString('latin1');
      if (text.includes('\n') || text.length > 64) finish();
    };
    channel.on('data', read);
    channel.once('end', finish);
    channel.once('close', finish);
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
    const socket = new Socket({ fd, readable: !isInput, writable: isInput });
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

function explain(error: unknown, spec: ProcessSpec): NotStarted {
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
