import { isLoopwrightError } from '../core/error.ts';
import type { Loop } from '../core/loop/loop.ts';
import { guardsSurroundings } from '../core/loop/surroundings.ts';
import type { Project, SurroundingChange, Surroundings } from '../ports/workspace.ts';
import type { Engine } from './engine.ts';
import { workspaceSpec } from './workspace-spec.ts';

type Look = { readonly seen: Surroundings; readonly at: number };

/** A look this fresh, with nothing of the user's run since, is also the state before the next iteration. */
const freshMs = 2000;

/** Looks of guarded iterations, and moves of the engine's own, one at a time. */
class Guard {
  readonly #guarded = new Set<SurroundingsWatch>();
  #last: Promise<unknown> = Promise.resolve();

  exclusive<T>(work: (guarded: Set<SurroundingsWatch>) => Promise<T>): Promise<T> {
    const turn = this.#last.then(() => work(this.#guarded));
    this.#last = turn.catch(() => {});
    return turn;
  }
}

const guards = new WeakMap<Project, Guard>();

function guardOf({ project }: Engine): Guard {
  const known = guards.get(project) ?? new Guard();
  guards.set(project, known);
  return known;
}

/** A change of the user's repository by the engine itself, which no iteration under way is blamed for. */
export function ownMove<T>(
  engine: Engine,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  return guardOf(engine).exclusive(async (guarded) => {
    for (const watch of guarded) await watch.settle(signal);
    try {
      return await work();
    } finally {
      for (const watch of guarded) await watch.lookAgain(signal);
    }
  });
}

/**
 * Sees what an iteration changes outside of its workspace: configuration and hooks always, refs and the user's checkout
 * with `sandbox: worktree`. Held in memory, where no agent can reach it; an engine that dies forgets it.
 */
export class SurroundingsWatch {
  readonly #engine: Engine;
  #before: { readonly loop: Loop; readonly iteration: number; seen: Surroundings } | null = null;
  #last: Look | null = null;
  /** What the iteration had changed before the engine itself moved the base. */
  #earlier: SurroundingChange[] = [];

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Before an agent may act. A further try of the same iteration changes nothing. */
  async begin(loop: Loop, iteration: number, signal: AbortSignal): Promise<void> {
    if (this.#before?.iteration === iteration) return;
    this.#earlier = [];
    await guardOf(this.#engine).exclusive(async (guarded) => {
      const seen = this.#fresh(loop) ?? (await this.#look(loop, signal)).seen;
      this.#before = { loop, iteration, seen };
      if (guardsSurroundings(loop)) guarded.add(this);
    });
  }

  /** The engine is about to move the base itself: what is different until now is the iteration's doing. */
  async settle(signal: AbortSignal): Promise<void> {
    if (this.#before === null) return;
    const { seen } = await this.#look(this.#before.loop, signal);
    const changes = await this.#engine.project.compareSurroundings(this.#before.seen, seen, signal);
    this.#earlier.push(...changes);
  }

  /** It has moved: from here on the iteration is compared with what is there now. */
  async lookAgain(signal: AbortSignal): Promise<void> {
    if (this.#before === null) return;
    this.#before.seen = (await this.#look(this.#before.loop, signal)).seen;
  }

  /** When its agent and its checks have ended: what is different now. Empty when it never began. */
  async end(
    loop: Loop,
    iteration: number,
    signal: AbortSignal,
  ): Promise<readonly SurroundingChange[]> {
    return guardOf(this.#engine).exclusive(async (guarded) => {
      guarded.delete(this);
      const before = this.#before?.iteration === iteration ? this.#before.seen : null;
      this.#before = null;
      this.#last = null;
      if (before === null) return [];
      return [...this.#earlier.splice(0), ...(await this.#compare(loop, before, signal))];
    });
  }

  async #compare(
    loop: Loop,
    before: Surroundings,
    signal: AbortSignal,
  ): Promise<readonly SurroundingChange[]> {
    try {
      const look = await this.#look(loop, signal);
      const changes = await this.#engine.project.compareSurroundings(before, look.seen, signal);
      // Another loop's merge may come at any time; a look is kept for a moment only where it cannot be seen.
      this.#last = guardsSurroundings(loop) ? null : look;
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
