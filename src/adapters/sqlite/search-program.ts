import { parentPort, workerData } from 'node:worker_threads';
import { Connection } from './connection.ts';
import { searchLearnings } from './learning-search.ts';
import { Transactions } from './transactions.ts';
import type { SearchReply, SearchRequest } from './search-thread.ts';

// The thread of `SearchThread`: answers one query after the other on a connection of its own.
const reads = new Transactions(new Connection(String(workerData), { mode: 'read' }), 'read');

parentPort?.on('message', (request: SearchRequest) => void answer(request));

async function answer({ number, query }: SearchRequest): Promise<void> {
  const found = await reads.run((db) => searchLearnings(db, query)).catch(() => null);
  parentPort?.postMessage({ number, found } satisfies SearchReply);
}
