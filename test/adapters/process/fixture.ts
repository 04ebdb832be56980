import { existsSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { isLiving, listPids, readStat } from '../../../src/adapters/process/proc.ts';
import type { ProcessSpec } from '../../../src/ports/process.ts';

/** A program of `test/fixtures/bin`. */
export function fixture(name: string): string {
  const file = path.resolve(import.meta.dirname, '../../fixtures/bin', name);
  if (!existsSync(file)) throw new Error(`no fixture ${name}`);
  return file;
}

export function specOf(
  argv: readonly [string, ...string[]],
  cwd: string,
  changes: Partial<ProcessSpec> = {},
): ProcessSpec {
  return {
    argv,
    cwd,
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
    stdin: null,
    stdoutFile: null,
    stderrFile: null,
    tailBytes: 4096,
    timeoutMs: 30_000,
    graceMs: 200,
    ...changes,
  };
}

export const never: AbortSignal = new AbortController().signal;

export function runs(pid: number): boolean {
  const stat = readStat(pid);
  return stat !== null && isLiving(stat);
}

/**
 * Living processes that work in this folder, whatever they call themselves and whichever session, parent or environment
 * they have. As this process sees them: inside a namespace they know themselves by other numbers.
 */
export function livingIn(folder: string): number[] {
  return listPids().filter((pid) => pid !== process.pid && runs(pid) && cwdOf(pid) === folder);
}

function cwdOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null;
  }
}

/** For what other processes do in their own time. */
export async function eventually(check: () => boolean, deadlineMs = 20_000): Promise<void> {
  const deadline = performance.now() + deadlineMs;
  while (!check()) {
    if (performance.now() > deadline)
      throw new Error(`not within ${deadlineMs} ms: ${String(check)}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
