import { isLoopwrightError, type LoopwrightError } from '../core/error.ts';
import { awaitsMerge } from '../core/loop/finishing.ts';
import type { Loop } from '../core/loop/loop.ts';
import type { Session, TaskClaim } from '../ports/store.ts';
import type { Engine } from './engine.ts';
import {
  mergeBatch,
  type Batch,
  type Candidate,
  type Merged,
  type MergeSink,
} from './merge-batch.ts';
import { holdsOthers, isRefusal, mayPass } from './merge-refusal.ts';
import { removeFinished } from './remove-finished.ts';
import { settleMoves } from './settle-moves.ts';
import { holdAtRest, restLeaseMs, type HeldLoop } from './resting-loop.ts';
import { leaseOf } from './session.ts';
import { summaryOf } from './settle-task.ts';

/** Large batches save checks, small ones are bisected sooner. */
const largestBatch = 16;
const longestMs = 3_600_000;

type Entry = {
  readonly loop: Loop;
  readonly held: HeldLoop;
  readonly done: PromiseWithResolvers<Merged>;
};

/**
 * Complete loops on their way into the base. Those that arrive while others are being merged make up the next batch.
 * One at a time across all engines of the repository: a lock is held from the look at the base until it has moved.
 */
export class MergeQueue {
  readonly #engine: Engine;
  readonly #session: Session;
  readonly #cut: AbortSignal | null;
  #waiting: Entry[] = [];
  #isBusy = false;

  /** What is being merged when `cut` is aborted is left for the next run, but for the last step. */
  constructor(engine: Engine, session: Session, cut: AbortSignal | null = null) {
    this.#engine = engine;
    this.#session = session;
    this.#cut = cut;
  }

  /** Loops that are being merged or wait for it. */
  get size(): number {
    return this.#waiting.length + (this.#isBusy ? 1 : 0);
  }

  /**
   * Merges a loop and tidies up after it. What is refused blocks a loop whose task waits for the merge, and is thrown
   * for any other. What is nobody's decision (a full disk, git broken) is thrown, and tried again by the next run.
   */
  async merge(loopId: string): Promise<Loop> {
    const engine = this.#engine;
    await using held = await holdAtRest(engine, this.#session, loopId);
    const { loop } = held;
    const claim = awaitsMerge(loop) ? await holdTask(engine, this.#session, loop) : null;
    try {
      const merged = await this.#join(held);
      if (merged.kind !== 'merged') throw merged.error;
      const settled = await settle(engine, held, claim, merged.commit);
      await removeFinished(engine, held, settled, this.#cut ?? undefined);
      return settled;
    } catch (error) {
      if (!isLoopwrightError(error) || !isRefusal(error.code)) {
        held.leaveInQueue();
        throw error;
      }
      if (!awaitsMerge(loop)) throw error;
      return block(engine, held, claim, error);
    }
  }

  #join(held: HeldLoop): Promise<Merged> {
    const { loop } = held;
    const done = Promise.withResolvers<Merged>();
    this.#waiting.push({ loop, held, done });
    void this.#work();
    return done.promise;
  }

  /** Never rejects: every entry is told how it went. */
  async #work(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    while (this.#waiting.length > 0) await this.#mergeNext();
    this.#isBusy = false;
  }

  async #mergeNext(): Promise<void> {
    const baseRef = this.#waiting[0]?.loop.workspace.baseRef ?? null;
    const batch = this.#waiting
      .filter(({ loop }) => loop.workspace.baseRef === baseRef)
      .slice(0, largestBatch);
    this.#waiting = this.#waiting.filter((entry) => !batch.includes(entry));
    const entries = new Map(batch.map((entry) => [entry.loop.id, entry]));
    try {
      using limit = limited(this.#cut);
      const { signal } = limit;
      await using _lock = await this.#engine.locks.take('merge', signal);
      await settleMoves(this.#engine);
      const loops = batch.map(({ loop }) => loop);
      const sink = (loop: Loop, merged: Merged) => entries.get(loop.id)?.done.resolve(merged);
      const candidates = await this.#ownWork(loops, sink, signal);
      const starts: Batch['starts'] = async (loop, move) => {
        await entries.get(loop.id)?.held.record({ type: 'merge.started', ...move });
      };
      const engine = this.#engine;
      await mergeBatch({ engine, baseRef: baseRef ?? '', starts, sink, signal }, candidates);
    } catch (error) {
      for (const { done } of batch) done.reject(error);
    }
  }

  /** What cannot be found out about one loop is told to that one. */
  async #ownWork(
    loops: readonly Loop[],
    sink: MergeSink,
    signal: AbortSignal,
  ): Promise<readonly Candidate[]> {
    const candidates: Candidate[] = [];
    for (const loop of loops) {
      try {
        candidates.push(await ownWork(this.#engine, loop, signal));
      } catch (error) {
        signal.throwIfAborted();
        sink(loop, { kind: 'failed', error });
      }
    }
    return candidates;
  }
}

/** A signal for one batch: its time is up, or everything is to be cut short. Leaves no listener behind. */
function limited(cut: AbortSignal | null): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const timer = AbortSignal.timeout(longestMs);
  const abort = () => controller.abort(new Error('the merge was cut short'));
  for (const signal of [timer, ...(cut === null ? [] : [cut])]) {
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
  }
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      timer.removeEventListener('abort', abort);
      cut?.removeEventListener('abort', abort);
    },
  };
}

/**
 * What was verified is what is merged. Only a loop whose merge was refused, or that is merged by hand, may have been
 * worked on by a person since: then what is on its branch counts, as long as nothing comes in with it that belongs to
 * another loop. Older versions left a branch on top of other loops' commits; there the recorded head is its own work.
 */
async function ownWork(engine: Engine, loop: Loop, signal: AbortSignal): Promise<Candidate> {
  const { project } = engine;
  const { branch, base, baseRef } = loop.workspace;
  const verified = loop.head ?? base ?? '';
  if (awaitsMerge(loop)) return { loop, head: verified };
  const now = await project.resolve(`refs/heads/${branch ?? ''}`, signal);
  if (now === null || now === verified) return { loop, head: verified };
  const without = [...(base === null ? [] : [base]), `refs/heads/${baseRef ?? ''}`];
  const found = await project.loopsOf(now, without, signal);
  const others = found.filter((id) => id !== loop.id);
  if (others.length === 0) return { loop, head: now };
  if (await project.contains(now, verified, signal)) throw holdsOthers(loop, others);
  const text = `the branch of ${loop.id} holds commits of ${others.join(', ')}: only its own recorded work is merged`;
  engine.publish({ kind: 'notice', text });
  return { loop, head: verified };
}

/** The task stays ours while its loop is being merged, however long the checks take. */
async function holdTask(
  { store, clock }: Engine,
  session: Session,
  loop: Loop,
): Promise<TaskClaim | null> {
  const { taskId } = loop;
  const held = await store.read((tx) => tx.tasks.claimOf(taskId));
  if (held === null) return null;
  return store.write(async (tx) => {
    const lease = await leaseOf(tx, restLeaseMs);
    if (held.owner === session.id) {
      return (await tx.tasks.renew(held, lease.until)) ? held : null;
    }
    // Its holder has handed the loop over by dying.
    const input = { owner: session.id, now: clock.now(), lease, taskId, takeOver: held.owner };
    return tx.tasks.claim(input);
  });
}

async function settle(
  engine: Engine,
  held: HeldLoop,
  claim: TaskClaim | null,
  commit: string,
): Promise<Loop> {
  const { loop } = held;
  const into = loop.workspace.baseRef ?? '';
  return held.record({ type: 'loop.merged', into, commit }, async (tx) => {
    const now = engine.clock.now();
    const summary = summaryOf(loop);
    const task = await tx.tasks.get(loop.taskId);
    if (claim !== null) await tx.tasks.transition(loop.taskId, 'done', { now, summary, claim });
    else if (task?.status === 'blocked') {
      await tx.tasks.transition(loop.taskId, 'done', { now, summary });
    }
  });
}

/** The work is done but not where it was to go: a person decides, and what depends on it waits. */
async function block(
  engine: Engine,
  held: HeldLoop,
  claim: TaskClaim | null,
  error: LoopwrightError,
): Promise<Loop> {
  const text = error.hint === null ? error.message : `${error.message}: ${error.hint}`;
  const reason = error.code === 'git.conflict' ? 'conflict' : 'gate';
  const passes = mayPass(error.code) ? { mayPass: true as const } : {};
  const rested = { type: 'loop.rested', status: 'blocked', reason, text, ...passes } as const;
  return held.record(rested, async (tx) => {
    const now = engine.clock.now();
    if (claim !== null) {
      await tx.tasks.transition(held.loop.taskId, 'blocked', { now, reason: text, claim });
    }
  });
}
