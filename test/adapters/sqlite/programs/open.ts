/** Opens the store at FILE, with the migrations in FOLDER if given, writes a row, and says how that went. */
import { writeSync } from 'node:fs';
import { openStore } from '../../../../src/adapters/sqlite/store.ts';
import { isLoopwrightError } from '../../../../src/core/error.ts';

const [file = '', folder] = process.argv.slice(2);
try {
  const store = await openStore(file, folder === undefined ? {} : { migrations: folder });
  await store.write((tx) =>
    tx.sessions.start({
      id: `s-${process.pid}`,
      kind: 'command',
      process: { pid: process.pid, startTime: null, bootId: null, host: 'here' },
      version: '0.0.0',
      startedAt: 0,
      endedAt: null,
    }),
  );
  await store[Symbol.asyncDispose]();
  writeSync(1, 'opened\n');
} catch (error) {
  writeSync(
    1,
    isLoopwrightError(error) ? `${error.code}: ${error.message}\n` : `${String(error)}\n`,
  );
}
