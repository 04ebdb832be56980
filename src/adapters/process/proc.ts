/**
 * What Linux tells about processes under `/proc`. Everything here answers "nothing" where there is no
 * `/proc` and for processes that vanish while they are looked at.
 */
import { closeSync, existsSync, openSync, readSync, readdirSync, readlinkSync } from 'node:fs';

export type ProcessStat = {
  readonly pid: number;
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Clock ticks since boot; with the pid it names a process for as long as the machine is up. */
  readonly startTime: string;
  /** CPU time in clock ticks, with that of children it has waited for. */
  readonly cpuTicks: number;
};

/** Null when there is no such process. Zombies are processes here: see `isLiving`. */
export function readStat(pid: number): ProcessStat | null {
  const text = readProc(`/proc/${pid}/stat`);
  if (text === undefined) return null;
  // The second field is the program's name in parentheses, and may itself contain any of ") (".
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group, session] = fields;
  const startTime = fields[19];
  if (state === undefined || startTime === undefined) return null;
  return {
    pid,
    state,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startTime,
    cpuTicks: fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0),
  };
}

/** Bytes the process has read and written, files and sockets alike; 0 when that cannot be seen. */
export function readIoBytes(pid: number): number {
  const text = readProc(`/proc/${pid}/io`) ?? '';
  const bytes = /^rchar: (\d+)\nwchar: (\d+)/.exec(text);
  return bytes === null ? 0 : Number(bytes[1]) + Number(bytes[2]);
}

/** Null when there is none, or none that can be seen. Asks for children of the main thread only. */
export function firstChild(pid: number): number | null {
  const children = readProc(`/proc/${pid}/task/${pid}/children`)?.trim();
  if (children !== undefined) return children === '' ? null : Number(children.split(' ')[0]);
  // The process is gone, or the kernel was built without that file.
  if (readStat(pid) === null) return null;
  return listPids().find((other) => readStat(other)?.parent === pid) ?? null;
}

/** Of all its threads; none when it is gone, null when the kernel was built without those files. */
export function listChildren(pid: number): readonly number[] | null {
  if (!existsSync(`/proc/${process.pid}/task/${process.pid}/children`)) return null;
  return listNames(`/proc/${pid}/task`).flatMap((thread) => {
    const children = readProc(`/proc/${pid}/task/${thread}/children`)?.trim();
    return children === undefined || children === '' ? [] : children.split(' ').map(Number);
  });
}

/** A zombie has ended and only waits for its parent to ask; signals no longer reach it. */
export function isLiving(stat: ProcessStat): boolean {
  return stat.state !== 'Z' && stat.state !== 'X';
}

/** Whether the environment the process was started with contains `text`. Unreadable ones do not. */
export function environmentContains(pid: number, text: string): boolean {
  return readProc(`/proc/${pid}/environ`)?.includes(text) ?? false;
}

/** The program and its arguments, each ended by a NUL; null when there is no such process. */
export function readCommand(pid: number): string | null {
  return readProc(`/proc/${pid}/cmdline`) ?? null;
}

/** Names the namespace of this process's ids; null when unknown. */
export function pidNamespace(): string | null {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return null;
  }
}

export function listPids(): readonly number[] {
  return listNames('/proc').map(Number).filter(Number.isInteger);
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Gone, or no /proc on this platform.
    return [];
  }
}

/** The pid given out last, from which the next ones count up; null when unknown. */
export function lastPid(): number | null {
  const text = readProc('/proc/loadavg')?.trim();
  const pid = Number(text?.slice(text.lastIndexOf(' ') + 1));
  return Number.isInteger(pid) && pid > 0 ? pid : null;
}

export function maxPid(): number | null {
  const pid = Number(readProc('/proc/sys/kernel/pid_max'));
  return Number.isInteger(pid) && pid > 0 ? pid : null;
}

/** Different after every boot; null when the platform has none. */
export function readBootId(): string | null {
  return readProc('/proc/sys/kernel/random/boot_id')?.trim() ?? null;
}

/** Processes are looked at many times an iteration, and these files are small: they are all read into one place. */
const page = Buffer.allocUnsafeSlow(8192);

function readProc(path: string): string | undefined {
  try {
    const file = openSync(path, 'r');
    try {
      let text = '';
      for (let length = readSync(file, page); length > 0; length = readSync(file, page)) {
        text += page.toString('latin1', 0, length);
      }
      return text;
    } finally {
      closeSync(file);
    }
  } catch {
    // Gone, not ours to read, or no such platform: for every caller there is nothing to see.
    return undefined;
  }
}
