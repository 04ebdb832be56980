/** Holds the write lock of the store at FILE until it is told to let go. */
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { openStore } from '../../../../src/adapters/sqlite/store.ts';

await using store = await openStore(process.argv[2] ?? '');
await store.write(async () => {
  writeSync(1, 'holding\n');
  await once(process.stdin, 'data');
});
writeSync(1, 'released\n');
process.stdin.destroy();
