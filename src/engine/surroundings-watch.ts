import { isLoopwrightError } from '../core/error.ts';
import type { BaseMoveRecord } from '../core/loop/event.ts';
import type { Iteration, Loop } from '../core/loop/loop.ts';
import { guardsSurroundings } from '../core/loop/surroundings.ts';
import { worksInPlace } from '../core/loop/place.ts';
import type { SurroundingChange, Surroundings, SurroundingsScope } from '../ports/workspace.ts';
import { attributeChanges, beginTrace, type Attributed } from './agent-git-trace.ts';
import type { Engine } from './engine.ts';
import { lookAtBase } from './look-at-base.ts';
import { isRestored } from './restored-branch.ts';
import { readOwnMoves, withoutOwnMoves } from './own-moves.ts';
import { keepLook, recallLook } from './surroundings-record.ts';
import { workspaceSpec } from './workspace-spec.ts';

type Look = { readonly seen: Surroundings; readonly at: number };

type Ended = Attributed & {
  /** What became of the base branch; null: nothing, or a person moved it. */
  readonly base: BaseMoveRecord | null;
};

/** `seen` is null when the record of it is gone. */
type Before = {
  readonly iteration: number;
  readonly seen: Surroundings | null;
  readonly key: string;
};

/** A look this fresh, with nothing of the user's run since, is also the state before the next iteration. */
const freshMs = 2000;
/** How long a merge of ours may take to move refs and files. */
const mergeMs = 5000;
const mergePollMs = 100;
/** How long a git command of the user's may hold a lock. */
const lockMs = 1000;

/**
 * Sees what an iteration changes outside of its workspace: configuration, hooks, refs, HEAD and index of the user's
 * repository, with `sandbox: worktree` also the files of their checkout. What was there before is kept in memory, and as a
 * file whose hash is recorded before the agent starts: an engine that dies does not forget it.
 */
export class SurroundingsWatch {
  readonly #engine: Engine;
  #before: Before | null = null;
  #last: Look | null = null;
  #kept: string | null = null;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /**
   * Before an agent may act: the hash of what is there, to be recorded with its start. A further try of the same iteration
   * changes nothing.
   */
  async begin(loop: Loop, { number, surroundings }: Iteration, signal: AbortSignal) {
    if (this.#before?.iteration !== number) {
      if (surroundings === undefined) await beginTrace(this.#engine, loop);
      this.#before =
        surroundings === undefined
          ? await this.#keep(loop, number, await this.#start(loop, signal))
          : await this.#recall(loop, number, surroundings);
    }
    return this.#before.key;
  }

  /** When its agent and its checks have ended: what is different now, by whom. Empty when it never began. */
  async end(loop: Loop, iteration: Iteration, signal: AbortSignal): Promise<Ended> {
    const before = await this.#taken(loop, iteration);
    if (before === null) return { own: [], others: [], base: null };
    const changes = await this.#changes(loop, iteration, before.seen, signal);
    // Before anything trusts the branch that the loop is judged by; the trace is emptied afterwards.
    const base =
      before.seen === null
        ? null
        : await lookAtBase(this.#engine, loop, { iteration, before: before.seen }, signal);
    // It may be moved back: the next look is a real one.
    if (base !== null) this.#last = null;
    const { own, others } = await attributeChanges(this.#engine, loop, changes, base !== null);
    return { own, others, base };
  }

  async #taken(loop: Loop, { number, surroundings }: Iteration): Promise<Before | null> {
    const held = this.#before?.iteration === number ? this.#before : null;
    this.#before = null;
    this.#last = null;
    if (held === null && surroundings === undefined) return null;
    return held ?? this.#recall(loop, number, surroundings ?? '');
  }

  async #changes(
    loop: Loop,
    { startedAt }: Iteration,
    before: Surroundings | null,
    signal: AbortSignal,
  ): Promise<readonly SurroundingChange[]> {
    if (before === null) return [recordGone];
    try {
      return await this.#compare(loop, before, startedAt, signal);
    } catch (error) {
      // It could be read before: that it cannot be read now is a change.
      if (!isLoopwrightError(error)) throw error;
      return [{ name: `your repository (${error.message})`, before: 'readable', after: null }];
    }
  }

  async #compare(
    loop: Loop,
    before: Surroundings,
    since: number,
    signal: AbortSignal,
  ): Promise<readonly SurroundingChange[]> {
    const { project, clock } = this.#engine;
    const deadline = clock.monotonic() + mergeMs;
    for (;;) {
      const look = await this.#look(loop, before.scope, signal);
      const changes = project.compareSurroundings(before, look.seen);
      const own = changes.length === 0 ? null : await readOwnMoves(this.#engine, since);
      const isLocked = changes.some(({ name }) => name.endsWith('.lock'));
      const waitsForLock = isLocked && clock.monotonic() < deadline - mergeMs + lockMs;
      if (waitsForLock || (own?.isUnderWay === true && clock.monotonic() < deadline)) {
        await clock.sleep(mergePollMs, signal);
        continue;
      }
      this.#last = look;
      if (own === null) return changes;
      const others = await withoutOwnMoves(this.#engine, changes, own, signal);
      const restored = await Promise.all(others.map((each) => isRestored(this.#engine, each)));
      return others.filter((_, position) => restored[position] !== true);
    }
  }

  async #keep(loop: Loop, iteration: number, seen: Surroundings): Promise<Before> {
    const key = await keepLook(this.#engine, loop, seen, this.#kept);
    this.#kept = key;
    return { iteration, seen, key };
  }

  async #recall(loop: Loop, iteration: number, key: string): Promise<Before> {
    return { iteration, seen: await recallLook(this.#engine, loop, key), key };
  }

  async #start(loop: Loop, signal: AbortSignal): Promise<Surroundings> {
    return this.#fresh(loop) ?? (await this.#look(loop, scopeOf(loop), signal)).seen;
  }

  async #look(loop: Loop, scope: SurroundingsScope, signal: AbortSignal): Promise<Look> {
    const seen = await this.#engine.project.surroundings(scope, workspaceSpec(loop), signal);
    return { seen, at: this.#engine.clock.monotonic() };
  }

  #fresh(loop: Loop): Surroundings | null {
    const { hooks } = loop.settings;
    const hooked = hooks['pre-iteration'].length + hooks['post-iteration'].length > 0;
    if (this.#last === null || hooked || this.#last.seen.scope !== scopeOf(loop)) return null;
    return this.#engine.clock.monotonic() - this.#last.at < freshMs ? this.#last.seen : null;
  }
}

/** A loop in place moves the refs and the index of the checkout itself. */
function scopeOf(loop: Loop): SurroundingsScope {
  if (worksInPlace(loop)) return 'programs';
  return guardsSurroundings(loop) ? 'whole' : 'repository';
}

const recordGone: SurroundingChange = {
  name: 'the record of what was there before the iteration',
  before: 'kept',
  after: null,
};
