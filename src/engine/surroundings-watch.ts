import { isLoopwrightError } from '../core/error.ts';
import type { Loop } from '../core/loop/loop.ts';
import { guardsSurroundings } from '../core/loop/surroundings.ts';
import type { SurroundingChange, Surroundings } from '../ports/workspace.ts';
import type { Engine } from './engine.ts';
import { workspaceSpec } from './workspace-spec.ts';

type Look = { readonly seen: Surroundings; readonly at: number };

/** A look this fresh, with nothing of the user's run since, is also the state before the next iteration. */
const freshMs = 2000;

/**
 * Sees what an iteration changes outside of its workspace: configuration and hooks always, refs and the user's checkout
 * with `sandbox: worktree`. Held in memory, where no agent can reach it; an engine that dies forgets it.
 */
export class SurroundingsWatch {
  readonly #engine: Engine;
  #before: { readonly iteration: number; readonly seen: Surroundings } | null = null;
  #last: Look | null = null;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Before an agent may act. A further try of the same iteration changes nothing. */
  async begin(loop: Loop, iteration: number, signal: AbortSignal): Promise<void> {
    if (this.#before?.iteration === iteration) return;
    this.#before = { iteration, seen: this.#fresh(loop) ?? (await this.#look(loop, signal)).seen };
  }

  /** When its agent and its checks have ended: what is different now. Empty when it never began. */
  async end(
    loop: Loop,
    iteration: number,
    signal: AbortSignal,
  ): Promise<readonly SurroundingChange[]> {
    const before = this.#before?.iteration === iteration ? this.#before.seen : null;
    this.#before = null;
    this.#last = null;
    if (before === null) return [];
    try {
      const look = await this.#look(loop, signal);
      const changes = await this.#engine.project.compareSurroundings(before, look.seen, signal);
      this.#last = look;
      return changes;
    } catch (error) {
      // It could be read before: that it cannot be read now is a change.
      if (!isLoopwrightError(error)) throw error;
      return [{ name: `your repository (${error.message})`, before: 'readable', after: null }];
    }
  }

  async #look(loop: Loop, signal: AbortSignal): Promise<Look> {
    const scope = guardsSurroundings(loop) ? 'whole' : 'programs';
    const seen = await this.#engine.project.surroundings(scope, workspaceSpec(loop), signal);
    return { seen, at: this.#engine.clock.monotonic() };
  }

  #fresh({ settings }: Loop): Surroundings | null {
    const { hooks } = settings;
    const hooked = hooks['pre-iteration'].length + hooks['post-iteration'].length > 0;
    if (this.#last === null || hooked) return null;
    return this.#engine.clock.monotonic() - this.#last.at < freshMs ? this.#last.seen : null;
  }
}
