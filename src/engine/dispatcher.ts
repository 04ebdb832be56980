import { providerOf } from '../core/agent/provider.ts';
import { orderKey } from '../core/graph/order.ts';
import { isReady } from '../core/graph/ready.ts';
import type { Loop } from '../core/loop/loop.ts';
import { obstacleText } from '../core/schedule/queue-view.ts';
import { worksInPlace } from '../core/loop/place.ts';
import type { LiveEvent } from '../ports/live.ts';
import type { Session } from '../ports/store.ts';
import type { Engine } from './engine.ts';
import { finishLoop } from './finish-loop.ts';
import { findLeftBehind, freeTasksOfGone } from './left-behind.ts';
import { liveSettings } from './live-settings.ts';
import { mergeAgain } from './merge-again.ts';
import { MergeQueue } from './merge-queue.ts';
import { pauseUndriven } from './pause-undriven.ts';
import { createPlaceOfTask, type PlaceOfTask } from './place-of-task.ts';
import { recallOutages, recallWindows } from './outages.ts';
import { RunControl, runLoops, type RunOptions, type RunRequest } from './run-loops.ts';
import { orderOfLoop, slotPlace } from './slot-place.ts';
import type { SlotAsk } from './slots.ts';
import { isShut } from './sign-in.ts';
import { isTakenElsewhere, isUnchanged } from './taken-elsewhere.ts';

export type DispatchLimits = {
  /** Loops that it looks after, waiting ones included. */
  readonly maxLoops: number;
  /** Of those whose agent is a program, how many work at once. */
  readonly maxAgents: number;
};

export type DispatchOptions = {
  readonly run: RunOptions;
  /** False: tasks that are ready are left alone; only loops that were begun or asked for go on. */
  readonly takesReady: boolean;
  limits(): Promise<DispatchLimits>;
  /** Changes when the configuration does: what could not be started may be tried again. */
  configMark(): Promise<string>;
};

/** What could not be started, and why. */
export type Refusal = {
  readonly id: string;
  readonly text: string;
  /** Milliseconds until the next try. */
  readonly retryInMs: number;
};

export type Waiting = {
  readonly task: string;
  /** From 1. */
  readonly position: number;
  readonly reason: string;
  readonly estimateMs: number | null;
};

type Refused = {
  readonly text: string;
  readonly times: number;
  readonly retryAt: number;
  /** Its provider wants a sign-in. */
  readonly isUnsigned: boolean;
};

const firstRetryMs = 30_000;
const longestRetryMs = 600_000;

/**
 * Decides which loops a daemon drives. It holds nothing that the store does not: what should be driven is a loop in the
 * queue without a living owner, a message that asks for it, or a ready task. `wake` looks again; many wake-ups are one look.
 * Each asks for a slot of the engine and works while it holds it; a loop that waits for long gives it to another.
 */
export class Dispatcher {
  /** False: tasks that are ready are left alone. */
  takesReady: boolean;
  readonly #engine: Engine;
  readonly #session: Session;
  readonly #merges: MergeQueue;
  readonly #options: DispatchOptions;
  readonly #control = new RunControl();
  readonly #placeOf: PlaceOfTask;
  /** By loop or task id: what is being driven. The loop is null until it is known. */
  readonly #active = new Map<string, { loop: Loop | null; readonly ended: Promise<void> }>();
  readonly #refused = new Map<string, Refused>();
  #configMark: string | null = null;
  #looking: Promise<void> = Promise.resolve();
  #isDirty = false;
  /** Loops that a signal or a full disk has paused go on once, at the start: later a person may have wanted it. */
  #isFirst = true;
  #problem: string | null = null;
  /** The budget was used up at the last look. When there is room again, the loops that it stopped go on. */
  #wasSpent = false;
  #limits: DispatchLimits = { maxLoops: 0, maxAgents: 0 };

  constructor(engine: Engine, session: Session, options: DispatchOptions) {
    this.#engine = engine;
    this.#session = session;
    this.#merges = new MergeQueue(engine, session, this.#control.cut);
    this.#options = options;
    this.#placeOf = createPlaceOfTask(engine, options.run);
    this.takesReady = options.takesReady;
  }

  /** Tasks whose loop waits for a place, first ones first. */
  get waiting(): Waiting[] {
    const places = this.#engine.slots.queue.places.filter(({ kind }) => kind === 'loop');
    return places.map(({ id, position, obstacle, estimateMs }) => {
      return {
        task: id.slice('loop:'.length),
        position,
        reason: obstacleText(obstacle),
        estimateMs,
      };
    });
  }

  /** Looks at what there is to do, soon. */
  wake(): void {
    if (this.#isDirty) return;
    this.#isDirty = true;
    this.#looking = this.#looking.then(() => this.#lookOnce());
  }

  /** To be called with every live event of this engine. */
  observe(event: LiveEvent): void {
    if (event.kind !== 'recorded') return;
    const { loop } = event;
    for (const key of [loop.id, loop.taskId]) {
      const active = this.#active.get(key);
      if (active !== undefined) active.loop = loop;
    }
  }

  /** Loops that are driven here now. */
  get driven(): readonly Loop[] {
    return [...this.#active.values()].flatMap(({ loop }) => (loop === null ? [] : [loop]));
  }

  get refusals(): readonly Refusal[] {
    const now = this.#engine.clock.monotonic();
    return [...this.#refused].map(([id, { text, retryAt }]) => {
      return { id, text, retryInMs: Math.max(0, Math.round(retryAt - now)) };
    });
  }

  /** Why the last look failed; null when it did not. */
  get problem(): string | null {
    return this.#problem;
  }

  /** As they were at the last look. */
  get limits(): DispatchLimits {
    return this.#limits;
  }

  get isDraining(): boolean {
    return this.#control.requested !== null;
  }

  /** Starts nothing any more. `finish`: iterations come to their end; `cut`: they are cut short. */
  interrupt(when: 'finish' | 'cut'): void {
    this.#control.interrupt(when);
  }

  /** Settles when nothing is driven any more. */
  async settled(): Promise<void> {
    await this.#looking;
    await Promise.all([...this.#active.values()].map(({ ended }) => ended));
  }

  async #lookOnce(): Promise<void> {
    this.#isDirty = false;
    if (this.isDraining) return;
    try {
      await this.#look();
      this.#problem = null;
    } catch (error) {
      // A store that is locked or full now may be better at the next look.
      const text = messageOf(error);
      if (text !== this.#problem) this.#engine.publish({ kind: 'notice', text });
      this.#problem = text;
    }
  }

  async #look(): Promise<void> {
    const engine = this.#engine;
    await this.#forgetRefusals();
    await this.#readLimits();
    if (this.#isFirst) {
      await recallOutages(engine);
      await recallWindows(engine);
    }
    const { loops, paused, unfinished, refused } = await findLeftBehind(engine, this.#session);
    for (const loop of unfinished) {
      if (!this.#mayStart(loop.id)) continue;
      this.#start(
        loop.id,
        async () => void (await finishLoop(engine, this.#session, this.#merges, loop)),
      );
    }
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    for (const loop of isFirst ? refused : []) {
      if (!this.#mayStart(loop.id)) continue;
      const again = { engine, merges: this.#merges };
      this.#start(loop.id, async () => void (await mergeAgain(again, loop)));
    }
    for (const loop of isFirst ? [...loops, ...paused] : loops) {
      // A daemon does not work in the user's own checkout behind their back.
      if (worksInPlace(loop)) continue;
      this.#startLoop(loop, 'the daemon goes on with it');
    }
    for (const loopId of await this.#askedToResume()) {
      const loop = await engine.store.read((tx) => tx.loops.get(loopId));
      if (loop === null) continue;
      this.#openProvider(providerOf(loop.settings));
      this.#startLoop(loop, 'resumed on request', loop.reason === 'budget');
    }
    // Loops that were begun rest by themselves when the budget is used up; nothing new is begun.
    const isSpent = (await engine.budget.spent()) !== null;
    if (this.#wasSpent && !isSpent) {
      const stopped = paused.filter(({ reason }) => reason === 'budget');
      for (const loop of stopped) this.#startLoop(loop, 'there is room in the budget', true);
    }
    this.#wasSpent = isSpent;
    if (this.takesReady && !isSpent) await this.#takeReady();
  }

  async #readLimits(): Promise<void> {
    const { slots } = this.#engine;
    const { maxLoops, maxAgents } = await this.#options.limits();
    this.#limits = { maxLoops, maxAgents };
    const { loop, agent } = slots.limits.slots;
    if (loop === maxLoops && agent === maxAgents) return;
    const changed = { ...slots.limits.slots, loop: maxLoops, agent: maxAgents };
    slots.limits = { ...slots.limits, slots: changed };
  }

  async #takeReady(): Promise<void> {
    const engine = this.#engine;
    await freeTasksOfGone(engine, this.#session);
    // Those that are refused or have just been started are passed over.
    const most = this.#limits.maxLoops + this.#refused.size;
    const ready = await engine.store.read((tx) => tx.tasks.ready(most));
    for (const task of ready) {
      if (!this.#mayStart(task.id)) continue;
      const order = orderKey(task.readySince ?? task.createdAt, task.priority);
      const place = await this.#placeOf(task);
      const work = async () => {
        // It may have been done, deleted or taken while it waited.
        const now = await engine.store.read((tx) => tx.tasks.get(task.id));
        if (now === null || !isReady(now)) return;
        await this.#run({ kind: 'task', taskId: task.id, fresh: false });
      };
      this.#start(task.id, () => this.#inSlot({ key: task.id, order, ...place }, work));
    }
  }

  /** Who asks for a loop of it has signed in, or will be told again. */
  #openProvider(provider: string): void {
    if (!this.#engine.slots.isShut(provider)) return;
    this.#engine.slots.tell({ type: 'opened', provider });
    for (const [key, { isUnsigned }] of this.#refused) if (isUnsigned) this.#refused.delete(key);
  }

  /** `isRaised`: a budget was its end, and the files may say more now. */
  #startLoop(loop: Loop, why: string, isRaised = false): void {
    const engine = this.#engine;
    const { id, taskId: key, settings } = loop;
    if (!this.#mayStart(id)) return;
    const work = async () => {
      const active = this.#active.get(id);
      if (active !== undefined) active.loop = loop;
      if (!(await isUnchanged(this.#engine, loop))) return;
      const live = isRaised ? await liveSettings(this.#engine, loop, loop.flags) : null;
      const changed = live === null ? {} : { changed: { settings: live.kept, flags: loop.flags } };
      await this.#run({ kind: 'loop', loopId: id, why, ...changed });
    };
    this.#start(id, async () => {
      const order = await orderOfLoop(engine, loop);
      await this.#inSlot({ key, order, ...(await slotPlace(engine, settings)) }, work);
      // The daemon was ended before it got its turn; nothing happens when it rests by now.
      if (this.isDraining) await pauseUndriven(engine, this.#session, loop);
    });
  }

  /** Works with a slot, which is given back whatever happens; not at all when the daemon stops before there is one. */
  async #inSlot(place: Omit<SlotAsk, 'kind'>, work: () => Promise<void>): Promise<void> {
    const { slots } = this.#engine;
    const { asked } = this.#control;
    try {
      await slots.take({ kind: 'loop', ...place }, asked);
    } catch (error) {
      if (asked.aborted) return;
      throw error;
    }
    try {
      await work();
    } finally {
      slots.give('loop', place.key);
    }
  }

  async #run(request: RunRequest): Promise<void> {
    await runLoops(this.#engine, request, this.#options.run, this.#control);
  }

  async #askedToResume(): Promise<readonly string[]> {
    return this.#engine.store.read((tx) => tx.messages.receiversOf('resume'));
  }

  /** Not what is under way already or was refused lately, and no more than it may look after. */
  #mayStart(key: string): boolean {
    if (this.#active.has(key) || this.#isDriven(key) || this.isDraining) return false;
    if (this.#active.size >= this.#limits.maxLoops) return false;
    const refused = this.#refused.get(key);
    return refused === undefined || refused.retryAt <= this.#engine.clock.monotonic();
  }

  #start(key: string, work: () => Promise<void>): void {
    const ended = work()
      .then(
        () => void this.#refused.delete(key),
        (error: unknown) => this.#refuse(key, error),
      )
      .finally(() => {
        this.#active.delete(key);
        this.wake();
      });
    this.#active.set(key, { loop: null, ended });
  }

  /** A loop may have been started through its task, and the other way round. */
  #isDriven(id: string): boolean {
    return this.driven.some((loop) => loop.id === id || loop.taskId === id);
  }

  #refuse(key: string, error: unknown): void {
    if (isTakenElsewhere(error)) return;
    const times = (this.#refused.get(key)?.times ?? 0) + 1;
    const waitMs = Math.min(firstRetryMs * 2 ** (times - 1), longestRetryMs);
    const text = messageOf(error);
    const retryAt = this.#engine.clock.monotonic() + waitMs;
    const isUnsigned = isShut(error);
    this.#refused.set(key, { text, times, retryAt, isUnsigned });
    // It was said when the provider was shut, for all of them.
    if (isUnsigned) return;
    this.#engine.publish({ kind: 'notice', text: `${key} cannot go on: ${text}` });
  }

  async #forgetRefusals(): Promise<void> {
    if (this.#refused.size === 0 && this.#configMark !== null) return;
    const mark = await this.#options.configMark();
    if (mark !== this.#configMark) this.#refused.clear();
    this.#configMark = mark;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
