import { availableParallelism } from 'node:os';

/** Commands that read or write many files or objects: more of them at once than processors only slow each other down. */
const heavyCommands: ReadonlySet<string> = new Set([
  'add',
  'checkout-index',
  'clean',
  'diff-files',
  'diff-index',
  'ls-files',
  'merge-tree',
  'read-tree',
  'status',
  'update-index',
  'worktree',
]);

/** Turns for so many at once, handed on in the order in which they were asked for. */
export class Turns {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves with a turn; dispose hands it on. Rejects with the signal's reason, and holds nothing. */
  async take(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#wait(signal);
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (isHeld) this.#handOn();
        isHeld = false;
      },
    };
  }

  #wait(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const giveUp = () => {
      if (this.#waiting.delete(go)) reject(signal.reason);
    };
    const go = () => {
      signal.removeEventListener('abort', giveUp);
      resolve();
    };
    this.#waiting.add(go);
    signal.addEventListener('abort', giveUp, { once: true });
    return promise;
  }

  #handOn(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free++;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}

/** One for the process: all loops share the processors. */
const turns = new Turns(Math.max(2, availableParallelism()));
const noTurn: Disposable = { [Symbol.dispose]: () => {} };

/** A turn for a command that needs one. */
export async function gitTurn(args: readonly string[], signal: AbortSignal): Promise<Disposable> {
  return heavyCommands.has(args[0] ?? '') ? turns.take(signal) : noTurn;
}
