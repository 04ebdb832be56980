import { parentPort, workerData } from 'node:worker_threads';
import { Connection } from './connection.ts';
import { createDb } from './driver.ts';
import { searchLearnings } from './learning-search.ts';
import type { SearchReply, SearchRequest } from './search-thread.ts';

// The thread of `SearchThread`: answers one query after the other on a connection of its own.
const db = createDb(new Connection(String(workerData), { mode: 'read' }), 'read');

parentPort?.on('message', (request: SearchRequest) => void answer(request));

async function answer({ number, query }: SearchRequest): Promise<void> {
  const search = db.transaction().execute((tx) => searchLearnings(tx, query));
  const found = await search.catch(() => null);
  parentPort?.postMessage({ number, found } satisfies SearchReply);
}
