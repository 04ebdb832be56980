import { statfsSync } from 'node:fs';
import { availableMemory } from '../process/own-process.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Machine } from '../../ports/machine.ts';

/** Whatever starts needs longer than this to take up room; to look again for each of many takes time from all. */
const freshMs = 100;

type Room = { readonly disk: number | null; readonly memory: number; readonly at: number };

/** Asks the operating system, again after a moment: others use the machine too. */
export function createMachine(stateDir: string, clock: Pick<Clock, 'monotonic'>): Machine {
  let room: Room | null = null;
  const look = (): Room => {
    const at = clock.monotonic();
    if (room === null || at - room.at > freshMs) {
      room = { disk: freeDiskOf(stateDir), memory: availableMemory(), at };
    }
    return room;
  };
  return {
    freeDisk: async () => look().disk,
    freeMemory: () => look().memory,
  };
}

function freeDiskOf(folder: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}
