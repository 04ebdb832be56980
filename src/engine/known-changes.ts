import type { FileChanges } from '../core/loop/changes.ts';

/** Since the start of the iteration, and since the base. */
const kept = 2;

/** What differs between snapshots, found out once for those asked for lately. */
export class KnownChanges {
  /** The last one asked for comes last. */
  readonly #known = new Map<string, Promise<FileChanges>>();
  #same: { readonly commit: string; readonly tree: string } | null = null;

  /** A commit that holds the very files of a snapshot: what is known of the one holds for the other. */
  same(commit: string, tree: string): void {
    this.#same = { commit, tree };
  }

  /** Asking again for the same two costs nothing. */
  between(
    from: string,
    to: string,
    look: (from: string, to: string) => Promise<FileChanges>,
  ): Promise<FileChanges> {
    const key = `${from}..${this.#same?.commit === to ? this.#same.tree : to}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const changes = look(from, to);
    const [oldest] = this.#known.keys();
    if (this.#known.size >= kept && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(key, changes);
    // A failure surfaces where it is awaited, and is not remembered.
    changes.catch(() => this.#known.delete(key));
    return changes;
  }
}
