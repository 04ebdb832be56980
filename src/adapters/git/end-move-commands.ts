import { environmentContains, isLiving, listPids, readStat } from '../process/proc.ts';
import { sendSignal } from '../process/tree.ts';
import { moveMark } from './move-record.ts';
import { pause } from '../clock/timer.ts';

const pauseMs = 10;

/**
 * Ends the git commands of a move whose process is gone: one that was started goes on by itself, and would write files
 * while they are being put right. What it leaves half done is settled like the rest.
 */
export async function endMoveCommands(id: string, signal: AbortSignal): Promise<void> {
  const mark = Object.entries(moveMark(id))
    .map(([name, value]) => `${name}=${value}\0`)
    .join('');
  for (;;) {
    const left = listPids().filter((pid) => isCommand(pid, mark));
    if (left.length === 0) return;
    for (const pid of left) sendSignal(pid, 'SIGKILL');
    await pause(pauseMs, signal);
  }
}

function isCommand(pid: number, mark: string): boolean {
  const stat = readStat(pid);
  return stat !== null && isLiving(stat) && environmentContains(pid, mark);
}
