import type { Clock } from '../../ports/clock.ts';

/** A signal of its own for one request: aborted by the caller's, or when nothing was heard for too long. */
export type StallWatch = Disposable & {
  readonly signal: AbortSignal;
  heard(): void;
  isStalled(): boolean;
};

export function watchForStall(stallMs: number, clock: Clock, outer: AbortSignal): StallWatch {
  const controller = new AbortController();
  const over = new AbortController();
  let last = clock.monotonic();
  let isStalled = false;
  const abort = (): void => controller.abort(outer.reason);
  if (outer.aborted) abort();
  outer.addEventListener('abort', abort, { once: true });

  async function watch(): Promise<void> {
    for (;;) {
      const leftMs = last + stallMs - clock.monotonic();
      if (leftMs <= 0) break;
      await clock.sleep(leftMs, over.signal);
    }
    isStalled = true;
    controller.abort(new Error(`nothing was heard for ${stallMs} ms`));
  }
  // Ends by the rejection of its sleep when the request is over.
  watch().catch(() => undefined);

  return {
    signal: controller.signal,
    heard() {
      last = clock.monotonic();
    },
    isStalled: () => isStalled,
    [Symbol.dispose]() {
      over.abort();
      outer.removeEventListener('abort', abort);
    },
  };
}
