import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../ports/clock.ts';
import type { EventFeed, Frame } from './event-feed.ts';
import { securityHeaders } from './guard.ts';
import { Refusal } from './refusal.ts';

export type StreamOptions = {
  readonly feed: EventFeed;
  readonly clock: Clock;
  /** How long a reader may leave what it was sent untaken. */
  readonly patienceMs: number;
  readonly maxReaders: number;
  /** Aborted when the daemon ends. */
  readonly closing: AbortSignal;
};

const heartbeatMs = 15_000;

/** The stream of events to any number of readers, each at its own pace; one that stands still is cut off. */
export class EventStreams {
  readonly #options: StreamOptions;
  #readers = 0;

  constructor(options: StreamOptions) {
    this.#options = options;
  }

  get readers(): number {
    return this.#readers;
  }

  /** Settles when the reader has gone, was cut off, or the daemon ends. */
  async serve(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const { feed, maxReaders } = this.#options;
    if (this.#readers >= maxReaders) {
      throw new Refusal(503, 'http.readers', `${maxReaders} readers follow the events already`, {
        headers: { 'retry-after': '5' },
      });
    }
    const newest = await feed.newest();
    const asked = startOf(request, url) ?? newest;
    // A position that was never given belongs to another store: whoever asks must build itself anew.
    const isForeign = asked > newest;
    this.#readers += 1;
    try {
      const start = { from: isForeign ? newest : asked, reset: isForeign };
      await this.#stream(response, start, filterOf(url));
    } finally {
      this.#readers -= 1;
    }
  }

  async #stream(
    response: ServerResponse,
    { from, reset }: { readonly from: number; readonly reset: boolean },
    fits: (frame: Frame) => boolean,
  ): Promise<void> {
    const { feed } = this.#options;
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    response.writeHead(200, { ...securityHeaders, 'content-type': 'text/event-stream' });
    // The first id: a reader that sees nothing more can still come back to where it was.
    response.write(
      `retry: 1000\nid: ${from}\nevent: hello\ndata: ${JSON.stringify({ reset })}\n\n`,
    );
    using _live = feed.onLive((frame) => {
      if (fits(frame) && !response.writableNeedDrain) response.write(frame.text);
    });
    for (let after = from; !gone.signal.aborted && !this.#options.closing.aborted;) {
      const { version } = feed;
      const { frames, last } = await feed.page(after);
      const text = frames
        .filter(fits)
        .map((frame) => frame.text)
        .join('');
      after = last;
      if (text !== '' && !(await this.#send(response, text, gone.signal))) return;
      if (frames.length === 0) await this.#wait(response, version, gone.signal);
    }
    response.end();
  }

  /** False when the reader did not take it in time. */
  async #send(response: ServerResponse, text: string, gone: AbortSignal): Promise<boolean> {
    if (response.write(text) || response.destroyed) return true;
    const { clock, patienceMs } = this.#options;
    using waiting = stopWith(gone);
    const isTaken = await Promise.race([
      once(response, 'drain', { signal: waiting.signal }).then(
        () => true,
        () => true,
      ),
      clock.sleep(patienceMs, waiting.signal).then(
        () => false,
        () => true,
      ),
    ]);
    if (!isTaken) response.destroy();
    return isTaken;
  }

  /** Until something was stored; a comment now and then shows that the line is alive. */
  async #wait(response: ServerResponse, version: number, gone: AbortSignal): Promise<void> {
    const { feed, clock, closing } = this.#options;
    using waiting = stopWith(gone, closing);
    const beat = clock.sleep(heartbeatMs, waiting.signal).then(
      () => true,
      () => false,
    );
    const isQuiet = await Promise.race([feed.changedSince(version).then(() => false), beat]);
    if (isQuiet && !response.writableNeedDrain) response.write(': still here\n\n');
  }
}

/** A signal of a short wait that follows longer ones and leaves no listener with them. */
function stopWith(...signals: readonly AbortSignal[]): Disposable & { signal: AbortSignal } {
  const controller = new AbortController();
  const abort = () => controller.abort();
  for (const signal of signals) {
    if (signal.aborted) controller.abort();
    signal.addEventListener('abort', abort);
  }
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      for (const signal of signals) signal.removeEventListener('abort', abort);
      controller.abort();
    },
  };
}

/** What a reader wants: one loop or all, some types of events or all. */
function filterOf({ searchParams }: URL): (frame: Frame) => boolean {
  const loopId = searchParams.get('loop');
  const types = new Set((searchParams.get('types') ?? '').split(',').filter((type) => type !== ''));
  return (frame) =>
    (loopId === null || frame.loopId === loopId) && (types.size === 0 || types.has(frame.type));
}

/** The place to go on from: the header of a reader that comes back, or `after` of one that knows. */
function startOf({ headers }: IncomingMessage, url: URL): number | null {
  const given = headers['last-event-id'] ?? url.searchParams.get('after');
  if (given === null || given === undefined || given === '') return null;
  if (typeof given === 'string' && /^\d{1,15}$/.test(given)) return Number(given);
  throw new Refusal(400, 'http.last_event_id', 'Last-Event-ID is not a position of this stream');
}
