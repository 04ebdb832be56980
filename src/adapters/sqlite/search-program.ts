import { parentPort, workerData } from 'node:worker_threads';
import type { FoundLearning } from '../../ports/learning-index.ts';
import { Connection } from './connection.ts';
import { searchLearnings } from './learning-search.ts';
import { copyInto } from './store-backup.ts';
import { Transactions } from './transactions.ts';
import type { ThreadReply, ThreadRequest } from './search-thread.ts';

// The thread of `SearchThread`: answers one request after the other on a connection of its own.
const file = String(workerData);
const reads = new Transactions(new Connection(file, { mode: 'read' }), 'read');

parentPort?.on('message', (request: ThreadRequest) => void answer(request));

async function answer(request: ThreadRequest): Promise<void> {
  const found = await perform(request).catch(() => null);
  parentPort?.postMessage({ number: request.number, found } satisfies ThreadReply);
}

async function perform(request: ThreadRequest): Promise<readonly FoundLearning[]> {
  if ('query' in request) return reads.run((db) => searchLearnings(db, request.query));
  copyInto(file, request.copyTo);
  return [];
}
