import { isLoopwrightError, LoopwrightError } from '../core/error.ts';
import type { FileChanges } from '../core/loop/changes.ts';
import { endsWithBudget, type Facts, type Request } from '../core/loop/decide.ts';
import { isDeferrable } from '../core/loop/deferrable.ts';
import type { LoopEvent } from '../core/loop/event.ts';
import { foldAhead } from '../core/loop/evolve.ts';
import { needsFinishing } from '../core/loop/finishing.ts';
import { openIteration, type Iteration, type Loop } from '../core/loop/loop.ts';
import { isResting } from '../core/loop/status.ts';
import { strongest } from '../core/loop/strongest-request.ts';
import type { QueueClaim } from '../ports/queue.ts';
import type { Step } from '../ports/failpoint.ts';
import type { StoreTx, TaskClaim } from '../ports/store.ts';
import type { Workspace } from '../ports/workspace.ts';
import { BaseWatch } from './base-watch.ts';
import type { Claims } from './claims.ts';
import type { Engine } from './engine.ts';
import { KnownChanges } from './known-changes.ts';
import { LookAhead, type Writer, type Written } from './look-ahead.ts';
import { lookForLoop } from './outages.ts';
import { remember } from './remember.ts';
import { leaseOf } from './session.ts';
import { settleTask } from './settle-task.ts';
import { StopLooks } from './stop-looks.ts';
import { SurroundingsWatch } from './surroundings-watch.ts';
import { takenOver } from './taken-elsewhere.ts';
import { WaitClock } from './wait-clock.ts';

/** A lease outlasts several renewals that fail. */
const renewalsPerLease = 6;

/** After these the store will not come back by itself: going on would only spend money on work nobody records. */
const lostStore: ReadonlySet<string> = new Set(['store.gone', 'store.corrupt']);

/**
 * The one owner of a loop: holds its claim and lease, its folded state, its workspace, and the only way to
 * append to its log. Everyone else sends requests. Dispose ends the lease renewal and the watching.
 */
export class LoopOwner implements AsyncDisposable {
  /** What iterations of this owner must leave alone. */
  readonly surroundings: SurroundingsWatch;
  readonly changes = new KnownChanges();
  readonly stops = new StopLooks();
  /** The files as they are when the agent has ended; null: not looked at, or changed since. */
  seenTree: string | null = null;
  /** It gave its `loop` slot to others while it waits for its provider. */
  hasYielded = false;
  /** It has just probed its provider in vain: others go first the next time. */
  hasProbed = false;
  /** When its provider last failed it, by the monotonic clock; null: the last run was none of its failures. */
  failedAt: number | null = null;
  /** Why the configuration could not be read at the last boundary; null when it could. */
  configFault: string | null = null;
  /** The machine was started since the owner before had the loop. */
  readonly isAfterBoot: boolean;
  /** The owner before had it under way when it ended, and put nothing in order. */
  readonly isAfterKill: boolean;
  readonly #engine: Engine;
  readonly #claim: QueueClaim;
  readonly #taskClaim: TaskClaim;
  /** By the monotonic clock. */
  #heldUntil: number;
  /** As the store has it. */
  #stored: Loop;
  /** With the deferred facts folded in. */
  #loop: Loop;
  #deferred: LoopEvent[] = [];
  #mark: number;
  #workspace: Workspace | null = null;
  #iterationMark: number | null = null;
  readonly #ahead: LookAhead;
  readonly #waits: WaitClock;
  readonly #base: BaseWatch;
  #request: Request | null = null;
  #lost: LoopwrightError | null = null;
  readonly #cut = new AbortController();
  readonly #asked = new AbortController();
  readonly #closing = new AbortController();
  #nudge = new AbortController();
  readonly #renewal: Promise<void>;
  readonly #watch: Disposable;
  #reading: Promise<void> = Promise.resolve();
  #background: Promise<void> = Promise.resolve();

  constructor(engine: Engine, loop: Loop, claims: Claims) {
    this.#engine = engine;
    this.surroundings = new SurroundingsWatch(engine);
    this.#ahead = new LookAhead(engine.clock);
    this.#base = new BaseWatch(engine);
    this.#waits = new WaitClock(engine.clock, loop, claims.waitLeftMs);
    this.#stored = loop;
    this.#loop = loop;
    this.isAfterBoot = claims.isAfterBoot;
    this.isAfterKill = claims.isAfterKill;
    this.#claim = claims.claim;
    this.#taskClaim = claims.taskClaim;
    this.#heldUntil = claims.heldUntil;
    this.#mark = engine.clock.monotonic() - claims.unrecordedMs;
    this.#watch = engine.wakeups.watch(loop.id, () => this.#onWake());
    this.#renewal = this.#keepLease();
  }

  get loop(): Loop {
    return this.#loop;
  }

  /** The time from which waits are counted; see `WaitClock`. */
  get now(): number {
    return this.#waits.now(this.#loop);
  }

  /** The iteration under way. Only actions inside an iteration ask for it. */
  get iteration(): Iteration {
    const iteration = openIteration(this.#loop);
    if (iteration === null) throw new LoopwrightError('loop.no_iteration', 'no iteration is open');
    return iteration;
  }

  /** How long the open iteration has taken so far. Only one begun by another process is timed by the wall clock. */
  get iterationMs(): number {
    const { clock } = this.#engine;
    const ms =
      this.#iterationMark === null
        ? clock.now() - this.iteration.startedAt
        : clock.monotonic() - this.#iterationMark;
    return Math.max(0, Math.round(ms));
  }

  /** The open workspace; actions before `open-workspace` must not ask. */
  get workspace(): Workspace {
    if (this.#workspace !== null) return this.#workspace;
    const text = `the workspace of ${this.#loop.id} is not open`;
    throw new LoopwrightError('loop.no_workspace', text);
  }

  set workspace(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** What differs between two snapshots; asking again for the same two costs nothing. */
  changesBetween(from: string, to: string): Promise<FileChanges> {
    return this.changes.between(from, to, (...two) =>
      this.workspace.changes(...two, this.#closing.signal),
    );
  }

  /** Looks at the files beside other work, for whoever asks for them next. */
  lookAhead(): void {
    this.inBackground(this.#ahead.take(this.#look()));
  }

  /** The same after programs that were started on a snapshot: what they wrote is put back later. */
  lookAfter(by: Writer, before: string): void {
    this.inBackground(this.#ahead.takeAfter(by, before, this.#look()));
  }

  /** What such programs have written that was not put back yet; null when there is nothing of the kind. Asked once. */
  takeWritten(): Promise<Written | null> {
    return this.#ahead.takeWritten(() => this.#look());
  }

  #look(): Promise<string> {
    return this.#assertHeld().then(() => this.workspace.snapshot(this.#closing.signal));
  }

  /** The files are known to be this snapshot now, without a look. */
  sawFiles(tree: string): void {
    this.inBackground(this.#ahead.take(Promise.resolve(tree)));
  }

  /** The files as they are, or were a moment ago with nothing run in them since. */
  async currentTree(): Promise<string> {
    return (await this.#ahead.seen()) ?? this.workspace.snapshot(this.#closing.signal);
  }

  /** Aborted when the work under way must be cut short, or the loop was lost to another owner. */
  get cut(): AbortSignal {
    return this.#cut.signal;
  }

  /** Aborted at the first request of any kind: for waits. */
  get asked(): AbortSignal {
    return this.#asked.signal;
  }

  /** Aborted when somebody has stored something for this loop: what it waits for may be there. */
  get nudged(): AbortSignal {
    return this.#nudge.signal;
  }

  /** Aborted when this owner is disposed: for what must still run after a cut. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Asks the loop to pause, stop or be interrupted. The stronger of two requests counts; nothing takes one back. */
  request(request: Request): void {
    this.#request = this.#request === null ? request : strongest(this.#request, request);
    this.#asked.abort();
    if (this.#request.when === 'cut') this.#cut.abort();
  }

  /** Whether a person has asked the loop to stop by now. */
  async isAskedToStop(): Promise<boolean> {
    await this.#readRequests();
    return this.#request?.kind === 'stop';
  }

  /** Work that nothing waits for but the end of the loop. A failure is told, not thrown. */
  inBackground(work: Promise<void>): void {
    const told = work.catch((error: unknown) => {
      const text = error instanceof Error ? error.message : String(error);
      this.#engine.publish({ kind: 'notice', text: `warning: ${text}` });
    });
    this.#background = this.#background.then(() => told);
  }

  /** Settles when nothing is left in the background. What was looked at ahead is forgotten: the files may change now. */
  async settled(): Promise<void> {
    this.#ahead.forget();
    await this.#background;
  }

  /** The base branch is looked at again at the next boundary, however lately it was. */
  forgetBase(): void {
    this.#base.forget();
  }

  /** Working time so far; what is not recorded yet is part of it. */
  get activeMs(): number {
    const since = this.#engine.clock.monotonic() - this.#mark;
    return this.#stored.activeMs + Math.max(0, Math.round(since));
  }

  /** Time spent waiting is not working time: it counts against no budget. */
  forgetTime(): void {
    this.#mark = this.#engine.clock.monotonic();
  }

  /** Facts that could not be stored did not happen: back to what the store has. */
  discardUnstored(): void {
    this.#deferred = [];
    this.#loop = this.#stored;
  }

  /**
   * To be called before anything outside is changed. Throws when another owner has taken over meanwhile: a process that
   * was stopped or slept past its lease finds out here, before it touches files that are somebody else's by now.
   */
  async before(step: Step): Promise<void> {
    await this.#engine.reach(`before:${step}`);
    await this.#assertHeld();
  }

  /** To be called when something outside was changed or run, before anything about it is kept. */
  async after(step: Step): Promise<void> {
    this.#engine.store.assertInPlace();
    await this.#engine.reach(`after:${step}`);
  }

  /** What `decide` needs beside the log. */
  async facts(): Promise<Facts> {
    await this.#assertHeld();
    const { step, options } = this.#loop;
    // Wake-ups are hints; at the boundary the store is asked in any case.
    await (step === 'boundary' ? this.#readRequests() : this.#reading);
    const needsBudget = step === 'boundary' || step === 'run-agent' || endsWithBudget(this.#loop);
    const needsBase = step === 'boundary' || (step === 'baseline' && options.verifyOnly);
    return {
      now: this.now,
      wallNow: this.#engine.clock.now(),
      baseHead: needsBase ? await this.#base.head(this.#loop, this.#closing.signal) : null,
      request: this.#request,
      hasMail: step === 'boundary' && (await this.#hasMail()),
      spent: needsBudget ? await this.#engine.budget.spent() : null,
      ...(this.#loop.wait?.condition === 'outage'
        ? { outage: await lookForLoop(this.#engine, this.#loop) }
        : {}),
    };
  }

  /**
   * Appends facts; with them goes what must change in the same transaction: the queue, the task, and `work`.
   * Refused with `store.fenced` when another owner has taken over: then nothing was changed.
   */
  async record(...events: readonly LoopEvent[]): Promise<void> {
    return this.recordWith(null, ...events);
  }

  async recordWith(
    work: ((tx: StoreTx) => Promise<void>) | null,
    ...events: readonly LoopEvent[]
  ): Promise<void> {
    // A text cut out of a long one would keep the whole of it in memory for as long as the loop lives.
    const facts = structuredClone(events);
    this.#deferred.push(...facts);
    if (events.some((event) => event.type === 'iteration.started')) {
      this.#iterationMark = this.#engine.clock.monotonic();
    }
    if (work === null && events.every((event) => isDeferrable(this.#loop, event))) {
      const now = this.#engine.clock.now();
      this.#loop = facts.reduce((loop, event) => foldAhead(loop, event, now), this.#loop);
      return;
    }
    await this.#flush(work);
  }

  /** Stores what is deferred before something acts upon it. */
  async flush(): Promise<void> {
    if (this.#deferred.length > 0) await this.#flush(null);
  }

  async #flush(work: ((tx: StoreTx) => Promise<void>) | null): Promise<void> {
    if (this.#lost !== null) throw this.#lost;
    const mark = this.#engine.clock.monotonic();
    const input = {
      loop: this.#stored,
      token: this.#claim.token,
      time: this.#engine.clock.now(),
      elapsedMs: Math.max(0, Math.round(mark - this.#mark)),
      events: this.#deferred,
    };
    // Facts after what they name.
    await this.#workspace?.sync();
    for (const { type } of input.events) await this.#engine.reach(`before:${type}`);
    const { loop, recorded } = await this.#engine.store.write(async (tx) => {
      const appended = await tx.loops.append(input);
      await remember(this.#engine, tx, appended.loop, input.events);
      await this.#settle(tx, appended.loop);
      await work?.(tx);
      await this.#engine.reach('during:append');
      return appended;
    });
    this.#mark = mark;
    this.#deferred = [];
    this.#stored = loop;
    this.#loop = loop;
    for (const event of recorded) this.#engine.publish({ kind: 'recorded', loop, recorded: event });
    for (const { event } of recorded) await this.#engine.reach(`after:${event.type}`);
  }

  /** Queue and task follow the loop in the same transaction. */
  async #settle(tx: StoreTx, loop: Loop): Promise<void> {
    if (loop.wait !== null) {
      const { until, isReset } = loop.wait;
      const now = isReset === true ? this.#engine.clock.now() : this.#waits.now(loop);
      await tx.queue.enqueue(loop.id, (await tx.leaseTime()) + Math.max(0, until - now));
    }
    if (!isResting(loop.status)) return;
    for (const request of await tx.requests.pending(loop.id)) {
      await tx.requests.handled(request.id, loop.updatedAt);
    }
    // A complete loop leaves the queue when it is merged and tidied up: a crash before that leaves the entry behind.
    if (!needsFinishing(loop)) await tx.queue.complete(this.#claim);
    await settleTask(tx, loop, this.#taskClaim);
  }

  async #hasMail(): Promise<boolean> {
    const unread = await this.#engine.store.read((tx) => tx.messages.unread(this.#loop.id, 1));
    return unread.length > 0;
  }

  #onWake(): void {
    void this.#readRequests();
    this.#nudge.abort();
    this.#nudge = new AbortController();
  }

  #readRequests(): Promise<void> {
    this.#reading = this.#reading.then(async () => {
      if (this.#closing.signal.aborted) return;
      const pending = await this.#engine.store.read((tx) => tx.requests.pending(this.#loop.id));
      for (const { kind, when } of pending) this.request({ kind, when });
    });
    // A failure surfaces where it is awaited, in `facts`.
    this.#reading.catch(() => {});
    return this.#reading;
  }

  async #keepLease(): Promise<void> {
    const { clock, leaseMs } = this.#engine;
    const everyMs = leaseMs / renewalsPerLease;
    while (!this.#closing.signal.aborted) {
      const slept = await clock.sleep(everyMs, this.#closing.signal).then(
        () => true,
        () => false,
      );
      if (!slept || isResting(this.#stored.status)) return;
      // A store that cannot be written now may be written at the next turn.
      await this.#renew().catch((error: unknown) => {
        if (isLoopwrightError(error) && lostStore.has(error.code)) this.#lose(error);
      });
    }
  }

  async #renew(): Promise<void> {
    const { clock, store, leaseMs } = this.#engine;
    // Measured from before the write: what is known here never lasts longer than what is stored.
    const heldUntil = clock.monotonic() + leaseMs;
    const kept = await store.write(async (tx) => {
      const { until } = await leaseOf(tx, leaseMs);
      const task = await tx.tasks.renew(this.#taskClaim, until);
      return (await tx.queue.renew(this.#claim, until)) && task;
    });
    if (kept) this.#heldUntil = heldUntil;
    else this.#lose(takenOver(this.#loop));
  }

  /** Costs nothing while the lease lasts; after that only the store knows whose the loop is. */
  async #assertHeld(): Promise<void> {
    if (this.#lost === null && this.#engine.clock.monotonic() >= this.#heldUntil)
      await this.#renew();
    if (this.#lost !== null) throw this.#lost;
  }

  #lose(why: LoopwrightError): void {
    this.#lost ??= why;
    this.#asked.abort();
    this.#cut.abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#watch[Symbol.dispose]();
    this.#base[Symbol.dispose]();
    await this.#background;
    this.#closing.abort();
    await this.#renewal;
    await this.#reading.catch(() => {});
  }
}
