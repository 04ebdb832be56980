import type { Loop } from '../core/loop/loop.ts';
import type { Engine } from './engine.ts';

/**
 * Where the base branch of a loop is. Looked at again when somebody moved it, as far as the platform tells, and otherwise
 * after `watch-interval`.
 */
export class BaseWatch implements Disposable {
  readonly #engine: Pick<Engine, 'clock' | 'project'>;
  #watch: Disposable | null = null;
  #seenAt: number | null = null;
  #head: string | null = null;
  /** Grows with every hint that it may have moved. */
  #hints = 0;

  constructor(engine: Pick<Engine, 'clock' | 'project'>) {
    this.#engine = engine;
  }

  /** Null when there is nothing to watch. */
  async head(
    loop: Pick<Loop, 'workspace' | 'settings'>,
    signal: AbortSignal,
  ): Promise<string | null> {
    const { baseRef, mode } = loop.workspace;
    if (baseRef === null || mode !== 'worktree') return null;
    const { clock, project } = this.#engine;
    this.#watch ??= project.watchBranch(baseRef, () => this.forget());
    const now = clock.monotonic();
    const interval = loop.settings.git['watch-interval'];
    if (this.#seenAt !== null && now - this.#seenAt < interval) return this.#head;
    const hints = this.#hints;
    this.#head = await project.resolve(`refs/heads/${baseRef}`, signal);
    // A hint that came while it was being looked at is not lost.
    if (hints === this.#hints) this.#seenAt = now;
    return this.#head;
  }

  /** The next look is a real one. */
  forget(): void {
    this.#hints++;
    this.#seenAt = null;
  }

  [Symbol.dispose](): void {
    this.#watch?.[Symbol.dispose]();
  }
}
