import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../ports/clock.ts';
import type { Locks } from '../../ports/lock.ts';
import { makeFolders } from './own-folder.ts';
import { privateFile } from './private-state.ts';

const lookEveryMs = 50;
const busy = 5;

/**
 * Each lock is an empty database, held by an exclusive transaction that is never committed: the operating system lets
 * go of it when the process ends, also by `kill -9`. Names are our own words, never input.
 */
export function createLocks(stateDir: string, clock: Clock): Locks {
  const folder = path.join(stateDir, 'locks');

  async function tryTake(name: string): Promise<AsyncDisposable | null> {
    makeFolders(stateDir, folder);
    const file = path.join(folder, name);
    if (!existsSync(file)) writeFileSync(file, '', { flag: 'a', mode: privateFile });
    const database = new DatabaseSync(file);
    try {
      database.exec('pragma journal_mode = memory; pragma synchronous = off; begin exclusive');
    } catch (error) {
      database.close();
      if (isBusy(error)) return null;
      throw error;
    }
    let isHeld = true;
    return {
      async [Symbol.asyncDispose]() {
        if (isHeld) database.close();
        isHeld = false;
      },
    };
  }

  return {
    tryTake,
    async take(name, signal) {
      for (;;) {
        signal.throwIfAborted();
        const lock = await tryTake(name);
        if (lock !== null) return lock;
        await clock.sleep(lookEveryMs, signal);
      }
    },
  };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === busy;
}
