import { providerOf } from '../core/agent/provider.ts';
import { isSharedBudget } from '../core/budget/ledger.ts';
import { isLoopwrightError } from '../core/error.ts';
import { orderKey } from '../core/graph/order.ts';
import { isReady } from '../core/graph/ready.ts';
import type { LoopEvent } from '../core/loop/event.ts';
import { lastIteration, type Loop } from '../core/loop/loop.ts';
import { isResting } from '../core/loop/status.ts';
import { refusalText } from '../core/memory/capture.ts';
import type { Task } from '../core/task/task.ts';
import { worksInPlace } from '../core/loop/place.ts';
import type { LiveEvent, LiveListener } from '../ports/live.ts';
import { driveLoop, type Run } from './drive-loop.ts';
import { isDiskFull } from './disk-full.ts';
import type { Engine } from './engine.ts';
import { finishLoop } from './finish-loop.ts';
import { findLeftBehind, freeTasksOfGone, type LeftBehind } from './left-behind.ts';
import { mergeAgain } from './merge-again.ts';
import { pauseUndriven } from './pause-undriven.ts';
import { createPlaceOfTask, type PlaceOfTask } from './place-of-task.ts';
import { cutShort, nothingWaits, standstill } from './run-end.ts';
import type { ListedLoop, RunOutcome } from './run-loops.ts';
import { leaseOf } from './session.ts';
import { isShut } from './sign-in.ts';
import type { SlotPlace } from './slot-place.ts';
import { startTask } from './start-task.ts';
import { isTakenElsewhere, isUnchanged } from './taken-elsewhere.ts';

/** Ready tasks that wait for a slot at once, beyond those that can have one. */
const lookahead = 64;

/** Loops that make their worktree and verify the base at the same time. */
const mostStarting = 2;

/** Events after which a loop has done that, or will not. */
const settled: ReadonlySet<LoopEvent['type']> = new Set([
  'baseline.recorded',
  'iteration.started',
  'loop.waiting',
  'loop.rested',
]);

/**
 * What was interrupted first, then everything that is ready, until nothing is left. Each loop waits for a slot of its
 * own; whenever one ends, what it has unblocked joins those that wait.
 */
export async function runReady(run: Run, limit: number | null): Promise<RunOutcome> {
  using crew = new Crew(run, limit);
  await crew.goOnWithLeft();
  await crew.workThroughReady();
  await crew.allEnded();
  const counts = await run.engine.store.read((tx) => tx.tasks.counts());
  const isStill = !crew.isFull && counts.ready === 0 && counts.pending > 0;
  const still = isStill ? await standstill(run.engine) : nothingWaits;
  const { forPerson, forNextRun, forOthers } = still;
  return {
    loops: crew.loops,
    limited: crew.isFull && counts.ready > 0,
    ...cutShort(crew.loops, crew),
    held: forPerson > 0 && forNextRun === 0 && forOthers === 0,
    waiting: forOthers,
  };
}

/** Loops at rest go on; nothing new starts. */
export async function runListed(run: Run, listed: readonly ListedLoop[]): Promise<RunOutcome> {
  using crew = new Crew(run, null);
  await crew.goOnWithListed(listed);
  await crew.allEnded();
  return {
    loops: crew.loops,
    ...cutShort(crew.loops, crew),
    limited: false,
    held: false,
    waiting: 0,
  };
}

/** The loops of one run that are under way. One that cannot go on does not keep the others from running. */
class Crew implements Disposable {
  readonly loops: Loop[] = [];
  readonly #run: Run;
  readonly #publish: LiveListener;
  readonly #limit: number | null;
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #placeOf: PlaceOfTask;
  readonly #problems: unknown[] = [];
  /** Tasks that could not go on: another try is for the next run. */
  readonly #failed = new Set<string>();
  /** Stops further starts: every other task would fail in the same way. */
  #fatal: { readonly error: unknown } | null = null;
  /** Too little disk for anything else to start. */
  full: string | null = null;
  /** The budget of the run or the day that keeps the rest from starting. */
  spent: string | null = null;
  /** Tasks and loops that were not begun for want of a sign-in. */
  #unsigned = 0;
  #started = 0;
  /** Asks that may still become a start. */
  #asking = 0;
  #change = Promise.withResolvers<void>();
  readonly #starting = new Set<string>();
  /** Left by engines that are gone, and not driven here yet. */
  readonly #undriven = new Set<Loop>();
  readonly #stopped = new AbortController();
  readonly #exhausted: Disposable;

  constructor(run: Run, limit: number | null) {
    this.#run = { ...run, engine: { ...run.engine, publish: (event) => this.#see(event) } };
    this.#publish = run.engine.publish;
    this.#placeOf = createPlaceOfTask(run.engine, run.options);
    this.#limit = limit;
    const { asked } = run.control;
    if (asked.aborted) this.#stopped.abort();
    asked.addEventListener('abort', () => this.#stopped.abort(), { once: true });
    this.#stopped.signal.addEventListener('abort', () => this.#wake(), { once: true });
    // Those that wait for a slot would find out only when they have one.
    this.#exhausted = run.engine.budget.onExhausted(() => void this.#isSpentForAsks());
  }

  [Symbol.dispose](): void {
    this.#exhausted[Symbol.dispose]();
  }

  get isFull(): boolean {
    return this.#limit !== null && this.#started >= this.#limit;
  }

  /** Complete loops are merged and tidied up, interrupted ones go on, all before anything new starts. */
  async goOnWithLeft(): Promise<void> {
    await freeTasksOfGone(this.#run.engine, this.#run.session);
    const { loops, paused, unfinished, refused } = await this.#findLeft();
    this.#goOnWith({ loops: [...loops, ...paused], unfinished });
    for (const loop of refused) this.#begin(loop.taskId, () => mergeAgain(this.#run, loop));
  }

  async goOnWithListed(listed: readonly ListedLoop[]): Promise<void> {
    const { engine } = this.#run;
    for (const [order, { loopId, changed }] of listed.entries()) {
      const loop = await engine.store.read((tx) => tx.loops.get(loopId));
      if (loop === null) continue;
      const place = { order, provider: providerOf(loop.settings), needsAgent: true };
      this.#join(loop.taskId, place, async () => {
        if (!(await isUnchanged(engine, loop))) return null;
        engine.publish({ kind: 'notice', text: resumingText(loop) });
        return driveLoop(this.#run, loop.id, { why: 'resumed by hand', ...changed });
      });
    }
  }

  /** What the engine of another process has left that ended meanwhile; false when there is nothing. */
  async #goOnWithOrphans(): Promise<boolean> {
    const { loops, unfinished } = await this.#findLeft();
    const isNew = (loop: Loop) =>
      !this.#failed.has(loop.taskId) && !this.loops.some(({ id }) => id === loop.id);
    const left = { loops: loops.filter(isNew), unfinished: unfinished.filter(isNew) };
    this.#goOnWith(left);
    return left.loops.length + left.unfinished.length > 0;
  }

  #findLeft(): Promise<LeftBehind> {
    return findLeftBehind(this.#run.engine, this.#run.session);
  }

  #goOnWith({ loops, unfinished }: Pick<LeftBehind, 'loops' | 'unfinished'>): void {
    const { engine, session } = this.#run;
    for (const loop of unfinished) {
      engine.publish({ kind: 'notice', text: `finishing ${loop.id}, which was complete` });
      this.#begin(loop.taskId, () => finishLoop(engine, session, this.#run.merges, loop));
    }
    for (const [index, loop] of loops.entries()) {
      this.#undriven.add(loop);
      const place = { order: index, provider: providerOf(loop.settings), needsAgent: true };
      this.#join(loop.taskId, place, async () => {
        if (!(await isUnchanged(engine, loop))) return null;
        await requireWorkable(engine, loop);
        const why = whyResumed(loop);
        engine.publish({ kind: 'notice', text: resumingText(loop) });
        this.#undriven.delete(loop);
        return driveLoop(this.#run, loop.id, { why });
      });
    }
  }

  async workThroughReady(): Promise<void> {
    try {
      await this.#workThroughReady();
    } catch (error) {
      if (!this.#noteFull(error)) throw error;
    }
  }

  async #workThroughReady(): Promise<void> {
    const { engine, session, control } = this.#run;
    while (this.#isOpen() && control.requested === null) {
      const changed = this.#change.promise;
      const room = this.#limit === null ? lookahead : this.#limit - this.#started;
      const wanted = Math.min(lookahead, room) - this.#asking;
      const ready = wanted > 0 ? await this.#newlyReady(wanted) : [];
      for (const task of ready) await this.#joinTask(task);
      if (ready.length > 0) continue;
      if (this.#underWay.size > 0) {
        await changed;
        continue;
      }
      if (this.isFull) return;
      // What another engine worked on comes back when that is gone.
      await freeTasksOfGone(engine, session);
      if (await this.#goOnWithOrphans()) continue;
      if ((await this.#newlyReady(1)).length === 0) return;
    }
  }

  /** Waits for everything under way; throws what went wrong first. */
  async allEnded(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay.values());
    if (this.#run.control.requested !== null) await this.#pauseUndriven();
    if (this.#unsigned > 0) this.#publish({ kind: 'notice', text: unsignedText(this.#unsigned) });
    if (this.#fatal !== null) throw this.#fatal.error;
    if (this.#problems.length > 0) throw this.#problems[0];
  }

  async #pauseUndriven(): Promise<void> {
    const { engine, session } = this.#run;
    for (const loop of this.#undriven) {
      const paused = await pauseUndriven(engine, session, loop);
      if (paused !== null) this.loops.push(paused);
    }
  }

  async #newlyReady(count: number): Promise<readonly Task[]> {
    const { engine } = this.#run;
    const ready = await engine.store.write(async (tx) => {
      await tx.tasks.expireLeases(await tx.leaseTime(), engine.clock.now());
      return tx.tasks.ready(count + this.#underWay.size + this.#failed.size);
    });
    const isNew = ({ id }: Task): boolean => !this.#underWay.has(id) && !this.#failed.has(id);
    return ready.filter(isNew).slice(0, count);
  }

  async #joinTask(task: Task): Promise<void> {
    const order = orderKey(task.readySince ?? task.createdAt, task.priority);
    const place = await this.#placeOf(task);
    this.#join(task.id, { order, ...place }, async () => {
      const claimed = await claimReady(this.#run, task.id);
      return claimed === null ? null : startTask(this.#run, claimed);
    });
  }

  /** Waits for a slot, then works; the slot is given back whatever happens. */
  #join(
    taskId: string,
    place: SlotPlace & { readonly order: number },
    work: () => Promise<Loop | null>,
  ): void {
    const { slots } = this.#run.engine;
    this.#asking++;
    this.#begin(taskId, async () => {
      try {
        if (await this.#isSpent()) return null;
        await slots.take({ kind: 'loop', key: taskId, ...place }, this.#stopped.signal);
      } catch (error) {
        this.#noteFull(error);
        if (this.#stopped.signal.aborted) return null;
        throw error;
      } finally {
        this.#asking--;
      }
      try {
        await this.#turnToStart(taskId);
        if (this.isFull || this.#stopped.signal.aborted) return null;
        if (await this.#isSpent()) return null;
        this.#started++;
        const loop = await work();
        // Somebody else has taken the task meanwhile.
        if (loop === null) this.#started--;
        return loop;
      } finally {
        slots.give('loop', taskId);
        this.#hasStarted(taskId);
      }
    });
  }

  /** Nothing else starts on a full disk; what runs is paused by itself. */
  #noteFull(error: unknown): boolean {
    if (!isLoopwrightError(error) || !isDiskFull(error)) return false;
    this.full ??= error.message;
    this.#stopped.abort();
    return true;
  }

  async #isSpentForAsks(): Promise<void> {
    // A store that cannot be read is noticed by everybody else.
    if (this.#asking > 0) await this.#isSpent().catch(() => {});
  }

  #isOpen(): boolean {
    return this.#fatal === null && this.spent === null && this.full === null;
  }

  /** Those that run come to their end by themselves; nothing else starts. */
  async #isSpent(): Promise<boolean> {
    this.spent ??= await this.#run.engine.budget.spent();
    if (this.spent !== null) this.#stopped.abort();
    return this.spent !== null;
  }

  /** A hundred loops that start together would all be late; a few at a time, the first agents work at once. */
  async #turnToStart(taskId: string): Promise<void> {
    while (this.#starting.size >= mostStarting && !this.#stopped.signal.aborted) {
      await this.#change.promise;
    }
    this.#starting.add(taskId);
  }

  #hasStarted(taskId: string): void {
    if (this.#starting.delete(taskId)) this.#wake();
  }

  #begin(taskId: string, work: () => Promise<Loop | null>): void {
    const { engine } = this.#run;
    const ended = work()
      .then((loop) => {
        if (loop !== null) this.loops.push(loop);
      })
      .catch((error: unknown) => {
        this.#failed.add(taskId);
        if (isShut(error)) this.#unsigned++;
        if (isTakenElsewhere(error) || isShut(error) || this.#noteFull(error)) return;
        if (isSetupProblem(error)) this.#fail(error);
        else this.#problems.push(error);
        const text = error instanceof Error ? error.message : String(error);
        if (!isSetupProblem(error)) engine.publish({ kind: 'notice', text });
      })
      .finally(() => {
        this.#underWay.delete(taskId);
        this.#wake();
      });
    this.#underWay.set(taskId, ended);
  }

  /** Dependents join the moment their last prerequisite is done, while that is still being tidied up. */
  #see(event: LiveEvent): void {
    this.#publish(event);
    if (event.kind !== 'recorded') return;
    const { type } = event.recorded.event;
    if (settled.has(type)) this.#hasStarted(event.loop.taskId);
    if (type === 'loop.rested' || type === 'loop.merged') this.#wake();
  }

  #wake(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers<void>();
  }

  /** Those that run come to their end; nothing else starts. */
  #fail(error: unknown): void {
    this.#fatal ??= { error };
    this.#stopped.abort();
  }
}

/**
 * What would stop every further task as well: there is no point in trying the next one. An error that nobody foresaw is
 * taken for one of its own loop: a night's work does not end with it.
 */
export function isSetupProblem(error: unknown): boolean {
  if (!isLoopwrightError(error) || ofOneLoop.has(error.code)) return false;
  return ['run.', 'agent.', 'config.', 'sandbox.', 'strategy.', 'loop_type.', 'store.'].some(
    (prefix) => error.code.startsWith(prefix),
  );
}

/** Of the store, but not of the whole store: another owner was there, or it was locked for too long. */
const ofOneLoop: ReadonlySet<string> = new Set(['store.fenced', 'store.conflict', 'store.locked']);

function unsignedText(count: number): string {
  return count === 1
    ? 'one more waits for the same sign-in and was not begun'
    : `${count} more wait for the same sign-in and were not begun`;
}

/** Null when it is not ready any more: somebody else was faster. */
async function claimReady({ engine, session }: Run, taskId: string): Promise<Task | null> {
  await engine.reach('before:claim-task');
  const task = await engine.store.write(async (tx) => {
    const found = await tx.tasks.get(taskId);
    if (found === null || !isReady(found)) return null;
    const now = engine.clock.now();
    const lease = await leaseOf(tx, engine.leaseMs);
    const claim = await tx.tasks.claim({ owner: session.id, now, lease, taskId });
    return claim === null ? null : tx.tasks.get(taskId);
  });
  await engine.reach('after:claim-task');
  return task;
}

/** What cannot work is left as it is, and told. */
export function requireWorkable(
  engine: Engine,
  loop: Pick<Loop, 'settings' | 'options' | 'workspace'>,
): Promise<void> {
  const { verify } = loop.options;
  const inPlace = worksInPlace(loop);
  return engine.preflight(loop.settings, { verify, inPlace, isOwnCheck: false });
}

function whyResumed(loop: Loop): string {
  if (!isResting(loop.status)) return 'its engine was gone';
  const refusal = lastIteration(loop)?.refusal;
  if (loop.reason === 'rejected' && refusal !== undefined) return refusalText(refusal);
  return loop.reason === 'rejected' ? 'it was rejected' : restText(loop);
}

function resumingText(loop: Loop): string {
  if (!isResting(loop.status)) return `resuming ${loop.id}, which was interrupted`;
  if (loop.reason === 'rejected') return `resuming ${loop.id}, which was rejected`;
  return `resuming ${loop.id}: ${restText(loop)}`;
}

/** Why it rested, as the reason to go on. */
function restText({ status, reason, text }: Loop): string {
  switch (reason) {
    case 'outage':
      return 'its provider was down';
    case 'auth':
      return 'its provider wanted a sign-in';
    case 'disk':
      return 'the disk was full';
    case 'budget':
      return isSharedBudget(text) ? 'the budget of its run was used up' : 'its budget was raised';
    case 'user':
      return status === 'paused' ? 'it was paused' : 'it was stopped';
    case 'interrupted':
    case null:
      return 'it was interrupted';
    default:
      return `it was ${status} (${reason})`;
  }
}
