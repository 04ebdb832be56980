import type { Clock } from '../ports/clock.ts';

/** Does something soon after it was asked for, and never more often than every so many milliseconds. */
export class Throttle implements Disposable {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #work: () => void;
  readonly #closing = new AbortController();
  #lastAt = Number.NEGATIVE_INFINITY;
  #isPlanned = false;

  constructor(clock: Clock, everyMs: number, work: () => void) {
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#work = work;
  }

  /** Many calls are one. */
  poke(): void {
    if (this.#isPlanned || this.#closing.signal.aborted) return;
    this.#isPlanned = true;
    const leftMs = this.#lastAt + this.#everyMs - this.#clock.monotonic();
    this.#clock.sleep(Math.max(0, leftMs), this.#closing.signal).then(
      () => {
        this.#isPlanned = false;
        this.#lastAt = this.#clock.monotonic();
        this.#work();
      },
      () => {
        // Disposed: nobody wants it any more.
      },
    );
  }

  [Symbol.dispose](): void {
    this.#closing.abort();
  }
}
