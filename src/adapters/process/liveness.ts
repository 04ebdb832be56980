/**
 * Tells a program that hangs from one that is silent. Three signs of life: output, growth of files it keeps for itself,
 * and work (CPU, input and output) of its processes. Looks about twenty times per limit, and at processes
 * only while the program is silent.
 */
import type { Clock } from '../../ports/clock.ts';
import { awakeDuring, strideOf } from './awake-sleep.ts';
import { readIoBytes, readStat } from './proc.ts';
import type { ProcessTree } from './tree.ts';

/** What a run's processes have done since they started. */
export type Work = { readonly cpuMs: number; readonly ioBytes: number };

export type SignsOfLife = {
  /** Bytes printed so far. */
  printed(): number;
  /** Changes whenever the files do. */
  files(): Promise<string>;
  work(): Promise<Work>;
};

/** Timers, pings and garbage collection of an otherwise idle program stay below both. */
const busyCpuShare = 0.01;
const busyIoBytes = 4096;

/** Resolves when there was no sign of life for `idleMs`. */
export async function untilHung(
  idleMs: number,
  signs: SignsOfLife,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const strideMs = strideOf(idleMs);
  let quietMs = 0;
  let printed = signs.printed();
  let before: { readonly work: Work; readonly files: string } | null = null;
  while (quietMs < idleMs) {
    const awakeMs = await awakeDuring(Math.min(strideMs, idleMs - quietMs), clock, signal);
    const isSilent = signs.printed() === printed;
    printed = signs.printed();
    if (!isSilent) {
      quietMs = 0;
      before = null;
      continue;
    }
    const now = { work: await signs.work(), files: await signs.files() };
    const isAlive =
      before !== null &&
      (before.files !== now.files || isBusy(before.work, now.work, Math.max(awakeMs, 1)));
    quietMs = isAlive ? 0 : quietMs + awakeMs;
    before = now;
  }
}

function isBusy(before: Work, now: Work, elapsedMs: number): boolean {
  const cpuMs = now.cpuMs - before.cpuMs;
  return cpuMs > busyCpuShare * elapsedMs || Math.abs(now.ioBytes - before.ioBytes) >= busyIoBytes;
}

/** Linux counts CPU time for programs in hundredths of a second, whatever its own clock. */
const tickMs = 10;

/** Of everything in the tree, and of `first`, which may have buried some of it. */
export async function workOf(tree: ProcessTree, first: number): Promise<Work> {
  const found = await tree.find();
  const stats = new Map(found.map((stat) => [stat.pid, stat]));
  const leader = readStat(first);
  if (leader !== null) stats.set(first, leader);
  let cpuMs = 0;
  let ioBytes = 0;
  for (const { pid, cpuTicks } of stats.values()) {
    cpuMs += cpuTicks * tickMs;
    ioBytes += readIoBytes(pid);
  }
  return { cpuMs, ioBytes };
}
