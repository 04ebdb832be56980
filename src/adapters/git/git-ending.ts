import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { sendSignal } from '../process/tree.ts';
import { after } from '../clock/timer.ts';

const killGraceMs = 2_000;

/** TERM lets git remove its lock files; KILL follows, and the pipes are let go in case something outside the group holds them. */
export function createEnding(child: ChildProcess): { start(): void; stop(): void } {
  let timer: Disposable | null = null;
  return {
    start() {
      if (timer !== null) return;
      killGroup(child, 'SIGTERM');
      timer = after(killGraceMs, () => {
        killGroup(child, 'SIGKILL');
        child.stdout?.destroy();
        child.stderr?.destroy();
      });
    },
    stop() {
      timer?.[Symbol.dispose]();
    },
  };
}

function killGroup(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return;
  sendSignal(-child.pid, signal);
}

/** As a shell tells it. */
export function exitCodeOf(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}
