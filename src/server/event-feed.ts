import type { LiveEvent } from '../ports/live.ts';
import type { FeedEntry, Store } from '../ports/store.ts';
import { liveEventLine, recordedLine } from '../protocol/event-line.ts';

const pageSize = 200;

/** An event as it is sent. Null position: a live line, never repeated. */
export type Frame = {
  readonly position: number | null;
  readonly loopId: string | null;
  /** Of the event: `loop.rested`, `activity`. */
  readonly type: string;
  readonly text: string;
};

/** Events after a position, encoded. */
export type FramePage = { readonly frames: readonly Frame[]; readonly last: number };

export type FeedOptions = {
  readonly store: Store;
  now(): number;
  readonly redact: (text: string) => string;
};

/**
 * Everything that is recorded by anybody, in one order, for any number of readers. Each reader keeps its own place; a
 * page that several of them want is read and encoded once. Nothing is kept for a reader that does not ask.
 */
export class EventFeed {
  readonly #options: FeedOptions;
  readonly #live = new Set<(frame: Frame) => void>();
  #page: { readonly after: number; readonly version: number; page: Promise<FramePage> } | null =
    null;
  #version = 0;
  #changed = Promise.withResolvers<void>();

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /** Grows with every change that was heard of. */
  get version(): number {
    return this.#version;
  }

  /** Something may have been stored. */
  wake(): void {
    this.#version += 1;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }

  /** Resolves when there may be more than there was at `version`. */
  changedSince(version: number): Promise<void> {
    return version === this.#version ? this.#changed.promise : Promise.resolve();
  }

  /** Where a reader starts that wants only what is new. */
  newest(): Promise<number> {
    return this.#options.store.read((tx) => tx.loops.position());
  }

  page(after: number): Promise<FramePage> {
    const version = this.#version;
    if (this.#page?.after === after && this.#page.version === version) return this.#page.page;
    const page = this.#read(after);
    this.#page = { after, version, page };
    return page;
  }

  async #read(after: number): Promise<FramePage> {
    const entries = await this.#options.store.read((tx) => tx.loops.feed(after, pageSize));
    const frames = entries.map((entry) => this.#encode(entry));
    return { frames, last: entries.at(-1)?.position ?? after };
  }

  #encode({ position, loopId, recorded }: FeedEntry): Frame {
    const line = JSON.stringify(recordedLine(loopId, recorded));
    const text = `id: ${position}\nevent: recorded\ndata: ${this.#options.redact(line)}\n\n`;
    return { position, loopId, type: recorded.event.type, text };
  }

  /** Live lines from now on, until disposed. A listener must not keep them. */
  onLive(listener: (frame: Frame) => void): Disposable {
    this.#live.add(listener);
    return { [Symbol.dispose]: () => void this.#live.delete(listener) };
  }

  /** An event of this process: recorded ones are read from the store, the others are passed on. */
  publish(event: LiveEvent): void {
    if (event.kind === 'recorded') {
      this.wake();
      return;
    }
    if (this.#live.size === 0) return;
    const line = liveEventLine(event, this.#options.now());
    const data = this.#options.redact(JSON.stringify(line));
    const loopId = line.loop;
    const frame = {
      position: null,
      loopId,
      type: line.type,
      text: `event: live\ndata: ${data}\n\n`,
    };
    for (const listener of this.#live) listener(frame);
  }
}
