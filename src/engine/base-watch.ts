import type { Loop } from '../core/loop/loop.ts';
import type { Engine } from './engine.ts';

/** Where the base branch of a loop is, looked at no more often than `watch-interval` says. */
export class BaseWatch {
  readonly #engine: Pick<Engine, 'clock' | 'project'>;
  #seenAt: number | null = null;
  #head: string | null = null;

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
    const now = this.#engine.clock.monotonic();
    const interval = loop.settings.git['watch-interval'];
    if (this.#seenAt !== null && now - this.#seenAt < interval) return this.#head;
    this.#head = await this.#engine.project.resolve(`refs/heads/${baseRef}`, signal);
    this.#seenAt = now;
    return this.#head;
  }

  /** The next look is a real one. */
  forget(): void {
    this.#seenAt = null;
  }
}
