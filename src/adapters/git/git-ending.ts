import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';

const killGraceMs = 2_000;

/** TERM lets git remove its lock files; KILL follows, and the pipes are let go in case something outside the group holds them. */
export function createEnding(child: ChildProcess): { start(): void; stop(): void } {
  let timer: NodeJS.Timeout | null = null;
  return {
    start() {
      if (timer !== null) return;
      killGroup(child, 'SIGTERM');
      timer = setTimeout(() => {
        killGroup(child, 'SIGKILL');
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, killGraceMs);
    },
    stop() {
      if (timer !== null) clearTimeout(timer);
    },
  };
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group has ended by itself.
  }
}

/** As a shell tells it. */
export function exitCodeOf(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}
