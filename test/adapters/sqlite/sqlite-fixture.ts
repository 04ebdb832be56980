import { DatabaseSync } from 'node:sqlite';
import path from 'node:path';
import { openStore } from '../../../src/adapters/sqlite/store.ts';
import type { Store } from '../../../src/ports/store.ts';
import type { StoreFixture } from '../../contract/store-fixture.ts';
import { tempDir } from '../../support/temp-dir.ts';

/** A fresh database file in a folder of its own. */
export async function sqliteFixture(): Promise<StoreFixture & { readonly file: string }> {
  const dir = await tempDir();
  const file = path.join(dir.path, 'state.db');
  const stores: Store[] = [];
  const open = async (): Promise<Store> => {
    const store = await openStore(file);
    stores.push(store);
    return store;
  };
  return {
    file,
    store: await open(),
    open,
    async tamper(loopId, seq, data) {
      using database = new DatabaseSync(file);
      if (data === null) {
        database.prepare('delete from events where loop_id = ? and seq = ?').run(loopId, seq);
      } else {
        const statement = 'update events set data = ? where loop_id = ? and seq = ?';
        database.prepare(statement).run(data, loopId, seq);
      }
    },
    async [Symbol.asyncDispose]() {
      for (const store of stores) await store[Symbol.asyncDispose]();
      await dir[Symbol.asyncDispose]();
    },
  };
}
