import { watch, type FSWatcher } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { privateFolder } from '../adapters/files/private-state.ts';
import type { RecordedEvent } from '../core/loop/event.ts';
import { isResting } from '../core/loop/status.ts';
import type { Opened } from '../daemon/compose.ts';
import type { Engine } from '../engine/engine.ts';
import { isSessionAlive } from '../engine/session.ts';

const pageSize = 500;
/** A net under the watching: an owner that was killed writes nothing, and some disks tell nothing. */
const netMs = 5000;

/** Events of a loop after `since`, page by page. */
export async function* storedEvents(
  engine: Engine,
  loopId: string,
  since: number,
): AsyncGenerator<RecordedEvent> {
  for (let after = since; ;) {
    const page = await engine.store.read((tx) => tx.loops.events(loopId, after, pageSize));
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    after = last.seq;
  }
}

/** Why following ended. */
export type FollowEnd = 'rests' | 'abandoned';

/**
 * Calls `onChange` now and whenever the store or a watched folder changes, until the loop rests or nobody drives it.
 * The store's files are watched; nothing is polled but the owner's life.
 */
export async function follow(
  opened: Opened,
  loopId: string,
  folders: readonly string[],
  onChange: () => Promise<void>,
): Promise<FollowEnd> {
  const { engine, config } = opened;
  const store = config.settings.store ?? path.join(engine.stateDir, 'state.db');
  await using changes = new Changes([
    { folder: path.dirname(store), prefix: path.basename(store) },
    ...folders.map((folder) => ({ folder, prefix: '' })),
  ]);
  await changes.start();
  for (;;) {
    const state = await driveState(engine, loopId);
    await onChange();
    if (state !== 'driven') return state;
    await changes.next(engine);
  }
}

/** Looked at before the events are read, so that the last ones are never missed. */
async function driveState(engine: Engine, loopId: string): Promise<'driven' | FollowEnd> {
  const { loop, entry } = await engine.store.read(async (tx) => ({
    loop: await tx.loops.get(loopId),
    entry: (await tx.queue.entries()).find((each) => each.loopId === loopId),
  }));
  if (loop === null || isResting(loop.status)) return 'rests';
  const owner = entry?.owner ?? null;
  return owner !== null && (await isSessionAlive(engine, owner)) ? 'driven' : 'abandoned';
}

type Watched = { readonly folder: string; readonly prefix: string };

/** Wakes when one of the watched files changes; changes while nobody waits are remembered. */
class Changes implements AsyncDisposable {
  readonly #watched: readonly Watched[];
  readonly #watchers: FSWatcher[] = [];
  #wake = Promise.withResolvers<void>();

  constructor(watched: readonly Watched[]) {
    this.#watched = watched;
  }

  async start(): Promise<void> {
    for (const { folder, prefix } of this.#watched) {
      try {
        await mkdir(folder, { recursive: true, mode: privateFolder });
        const watcher = watch(folder, { recursive: prefix === '' }, (_event, name) => {
          if (name === null || name.startsWith(prefix)) this.#wake.resolve();
        });
        watcher.on('error', () => {});
        this.#watchers.push(watcher);
      } catch {
        // Out of watches: the net below still sees every change, only later.
      }
    }
  }

  /** Resolves at the next change, or after a while. */
  async next({ clock }: Pick<Engine, 'clock'>): Promise<void> {
    const waiting = new AbortController();
    const net = clock.sleep(netMs, waiting.signal).catch(() => {});
    await Promise.race([this.#wake.promise, net]);
    waiting.abort();
    await net;
    this.#wake = Promise.withResolvers<void>();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const watcher of this.#watchers) watcher.close();
  }
}
