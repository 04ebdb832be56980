import type { Worker } from 'node:worker_threads';
import type { FoundLearning, LearningQuery } from '../../ports/learning-index.ts';
import { builtinModule } from '../process/own-process.ts';

/** To the thread. */
export type ThreadRequest =
  | { readonly number: number; readonly query: LearningQuery }
  /** A copy of the store, made as this file, which must not be there, and synced. */
  | { readonly number: number; readonly copyTo: string };

/** From the thread; null when the work failed there. A copy has nothing to tell. */
export type ThreadReply = {
  readonly number: number;
  readonly found: readonly FoundLearning[] | null;
};

type Waiting = (found: readonly FoundLearning[] | null) => void;

/**
 * Searches and copies a store on a thread and a connection of its own, so that the event loop has its hands free. The first
 * request starts the thread; it keeps nobody from ending.
 */
export class SearchThread implements AsyncDisposable {
  readonly #file: string;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | null = null;
  #number = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** What was committed before the call is found. Null when the thread cannot tell: the caller has to search by itself. */
  search(query: LearningQuery): Promise<readonly FoundLearning[] | null> {
    return this.#ask({ number: ++this.#number, query });
  }

  /** False when the thread could not make the copy: the caller has to make it by itself, which says why. */
  async copyTo(file: string): Promise<boolean> {
    return (await this.#ask({ number: ++this.#number, copyTo: file })) !== null;
  }

  #ask(request: ThreadRequest): Promise<readonly FoundLearning[] | null> {
    const { promise, resolve } = Promise.withResolvers<readonly FoundLearning[] | null>();
    this.#waiting.set(request.number, resolve);
    this.#started().postMessage(request);
    return promise;
  }

  #started(): Worker {
    if (this.#worker !== null) return this.#worker;
    // Loaded for the first search: many runs never make one.
    const threads = builtinModule('node:worker_threads');
    const worker = new threads.Worker(programUrl(), { workerData: this.#file });
    worker.unref();
    worker.on('message', ({ number, found }: ThreadReply) => {
      this.#waiting.get(number)?.(found);
      this.#waiting.delete(number);
    });
    // What broke it is found again by the caller's own search, which can say it.
    worker.on('error', () => this.#giveUp(worker));
    worker.on('exit', () => this.#giveUp(worker));
    this.#worker = worker;
    return worker;
  }

  #giveUp(worker: Worker): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    for (const resolve of this.#waiting.values()) resolve(null);
    this.#waiting.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker?.terminate();
  }
}

function programUrl(): URL {
  const name = import.meta.url.endsWith('.ts') ? './search-program.ts' : './learning-search.js';
  return new URL(name, import.meta.url);
}
