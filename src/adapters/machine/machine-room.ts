import { statfs } from 'node:fs/promises';
import type { Machine } from '../../ports/machine.ts';

/** Asks the operating system each time: others use the machine too. */
export function createMachine(stateDir: string): Machine {
  return {
    async freeDisk() {
      const found = await statfs(stateDir).catch(() => null);
      return found === null ? null : found.bavail * found.bsize;
    },
    freeMemory: () => process.availableMemory(),
  };
}
