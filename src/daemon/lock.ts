import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const name = 'daemon.lock';

/**
 * Makes this process the one daemon of a repository until disposed; null when another one is. The lock is the kernel's,
 * taken through an exclusive transaction on a SQLite file of its own: it ends with the process, however that ends.
 */
export function takeDaemonLock(stateDir: string): Disposable | null {
  const database = new DatabaseSync(path.join(stateDir, name), { timeout: 0 });
  try {
    // Nothing is ever written, so nothing needs a journal, which a killed daemon would leave behind.
    database.exec('pragma journal_mode = off; begin exclusive');
  } catch (error) {
    database.close();
    if (isBusy(error)) return null;
    throw error;
  }
  return { [Symbol.dispose]: () => database.close() };
}

/** Whether a daemon lives, registered or not. Looks only: nothing is taken. */
export function isDaemonLocked(stateDir: string): boolean {
  using lock = takeDaemonLock(stateDir);
  return lock === null;
}

/** SQLITE_BUSY. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 5;
}
