import { readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { lazy } from '../../core/lazy.ts';
import { fullAllowance, type Allowance } from '../../core/notify/allowance.ts';
import type { Locks } from '../../ports/lock.ts';
import type { AllowanceKeeper } from '../../ports/notify.ts';
import { writeOwnFile } from '../files/own-file.ts';

const Stored = lazy(() =>
  z.object({ sentAt: z.array(z.number()).max(1000), heldBack: z.number().int().min(0) }),
);

/** Shared by all processes of a project: one file, changed under a lock. */
export function createAllowanceFile(stateDir: string, locks: Locks): AllowanceKeeper {
  const file = path.join(stateDir, 'notifications.json');
  return {
    async change(decide, signal) {
      await using _lock = await locks.take('notifications', signal);
      const { allowance, ...result } = decide(read(file));
      writeOwnFile(`${file}.new`, JSON.stringify(allowance));
      renameSync(`${file}.new`, file);
      return result;
    },
  };
}

/** A file that is missing or unreadable holds nothing back: people are rather told once too often. */
function read(file: string): Allowance {
  try {
    return Stored().parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return fullAllowance;
  }
}
