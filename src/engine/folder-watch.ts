import { watch, type FSWatcher } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../ports/clock.ts';

const maxFolders = 500;
/** How long the last news are waited for. */
const flushMs = 500;

/**
 * Hears of every name that is made or written in some folders, also when it is gone again afterwards. Without watches to spare
 * it hears less. Dispose ends it.
 */
export class FolderWatch implements Disposable {
  readonly #root: string;
  readonly #clock: Pick<Clock, 'sleep'>;
  readonly #names = new Set<string>();
  readonly #watchers: FSWatcher[] = [];
  #flushed: (() => void) | null = null;

  constructor(root: string, folders: readonly string[], clock: Pick<Clock, 'sleep'>) {
    this.#root = root;
    this.#clock = clock;
    for (const folder of folders.slice(0, maxFolders)) this.#watch(folder);
  }

  /** Everything heard of so far, as paths relative to the root. */
  async names(): Promise<ReadonlySet<string>> {
    if (this.#watchers.length === 0) return this.#names;
    await this.#flush();
    return this.#names;
  }

  #watch(folder: string): void {
    try {
      const watcher = watch(path.join(this.#root, folder), { persistent: false }, (_, name) => {
        if (name === flushName) this.#flushed?.();
        else if (name !== null) this.#names.add(path.posix.join(folder, name));
      });
      watcher.on('error', () => {});
      this.#watchers.push(watcher);
    } catch {
      // Out of watches, or no such folder: what is left there afterwards is seen all the same.
    }
  }

  /** News come in order: when that of a file of our own is here, all before it are. */
  async #flush(): Promise<void> {
    const heard = Promise.withResolvers<void>();
    this.#flushed = heard.resolve;
    const patience = new AbortController();
    this.#clock.sleep(flushMs, patience.signal).then(heard.resolve, () => {
      // The news came in time.
    });
    const file = path.join(this.#root, flushName);
    await writeFile(file, '').catch(heard.resolve);
    await heard.promise;
    patience.abort();
    await rm(file, { force: true });
  }

  [Symbol.dispose](): void {
    for (const watcher of this.#watchers) watcher.close();
  }
}

const flushName = '.loopwright-flush';
