import type { Settings } from '../core/config/schema.ts';
import { isLoopwrightError } from '../core/error.ts';
import type { Request } from '../core/loop/decide.ts';
import type { Flags, LoopOptions, PromptRecord } from '../core/loop/event.ts';
import type { Loop } from '../core/loop/loop.ts';
import { isResting } from '../core/loop/status.ts';
import type { Task } from '../core/task/task.ts';
import type { Session } from '../ports/store.ts';
import { createLoop } from './create-loop.ts';
import { isDiskFull, waitForRoom } from './disk-full.ts';
import type { Engine } from './engine.ts';
import { finishLoop } from './finish-loop.ts';
import { findLeftBehind, freeTasksOfGone } from './left-behind.ts';
import type { LoopOwner } from './loop-owner.ts';
import { driveOrPark } from './park.ts';
import { pruneMemory } from './prune-memory.ts';
import { endSession, isSessionAlive, startSession } from './session.ts';
import { cannotClaimTask, takeLoop, type TakeOptions } from './take-loop.ts';
import { unfinishedLoop } from './text-task.ts';

/** What to run. */
export type RunRequest =
  /** One task; its unfinished loop goes on unless `fresh`. */
  | { readonly kind: 'task'; readonly taskId: string; readonly fresh: boolean }
  /** One loop by hand, also a failed or stopped one. */
  | {
      readonly kind: 'loop';
      readonly loopId: string;
      /** Stored and shown; by hand unless given. */
      readonly why?: string;
      readonly changed?: Pick<LoopPlan, 'settings' | 'flags'>;
    }
  /** Interrupted loops first, then everything that is ready; at most `limit` loops are started. */
  | { readonly kind: 'ready'; readonly limit: number | null };

export type RunOptions = {
  readonly loop: Omit<LoopOptions, 'verifyOnly'>;
  readonly allowDirty: boolean;
  /** Whose session it is; a `run` unless given. */
  readonly session?: Session['kind'];
  /** What a loop of this task would be made with. Throws what a person must put right first. */
  planFor(task: Task): Promise<LoopPlan>;
};

export type LoopPlan = {
  readonly settings: Settings;
  readonly flags: Flags;
  readonly prompt: PromptRecord;
};

export type RunOutcome = {
  readonly loops: readonly Loop[];
  /** Ready tasks were left when `limit` was reached. */
  readonly limited: boolean;
  /** Nothing was ready although tasks are left: they wait behind failed or blocked ones. */
  readonly held: boolean;
};

/** How a run is asked to stop: by signals of the terminal, or by the caller's AbortSignal. */
export class RunControl {
  #request: Request | null = null;
  readonly #asked = new AbortController();
  readonly #listeners = new Set<(request: Request) => void>();

  interrupt(when: Request['when']): void {
    this.#request = { kind: 'interrupt', when };
    this.#asked.abort();
    for (const listener of this.#listeners) listener(this.#request);
  }

  get requested(): Request | null {
    return this.#request;
  }

  /** Aborted at the first request. */
  get asked(): AbortSignal {
    return this.#asked.signal;
  }

  /** Passes requests on to a loop's owner while it is driven. */
  attach(owner: LoopOwner): Disposable {
    const listener = (request: Request) => owner.request(request);
    if (this.#request !== null) listener(this.#request);
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }
}

/** Runs loops one after the other until there is nothing left to do or somebody asks to stop. */
export async function runLoops(
  engine: Engine,
  request: RunRequest,
  options: RunOptions,
  control: RunControl,
): Promise<RunOutcome> {
  const session = await startSession(engine, options.session ?? 'run');
  await engine.disk.holdReserve();
  const outcome = await runRequest({ engine, session, options, control }, request).catch(
    async (error: unknown) => {
      // The store may be what broke: then the error says more than a failure to write the end of the session.
      await endSession(engine, session).catch(() => {});
      throw error;
    },
  );
  const settings = outcome.loops.at(-1)?.settings;
  if (settings !== undefined) {
    // Old notes can go next time; the run itself is over and stored.
    await pruneMemory(engine, settings, { dryRun: false }).catch((error: unknown) => {
      const text = error instanceof Error ? error.message : String(error);
      engine.publish({ kind: 'notice', text: `warning: memory was not pruned: ${text}` });
    });
  }
  await endSession(engine, session);
  return outcome;
}

async function runRequest(run: Run, request: RunRequest): Promise<RunOutcome> {
  switch (request.kind) {
    case 'task':
      return only([await runTask(run, request.taskId, request.fresh)]);
    case 'loop': {
      const take = { why: request.why ?? 'resumed by hand', ...request.changed };
      return only([await driveLoop(run, request.loopId, take)]);
    }
    case 'ready':
      return runReady(run, request.limit);
  }
}

type Run = {
  readonly engine: Engine;
  readonly session: Session;
  readonly options: RunOptions;
  readonly control: RunControl;
};

function only(loops: readonly Loop[]): RunOutcome {
  return { loops, limited: false, held: false };
}

async function runTask(run: Run, taskId: string, fresh: boolean): Promise<Loop> {
  const { engine } = run;
  const task = await engine.store.read((tx) => tx.tasks.resolve(taskId));
  const unfinished = fresh ? null : await unfinishedLoop(engine, task.id);
  if (unfinished !== null) {
    const text = `resuming ${unfinished.id}, which is unfinished (--new starts another)`;
    engine.publish({ kind: 'notice', text });
    return driveLoop(run, unfinished.id, { why: 'run again' });
  }
  return startTask(run, task);
}

/** One loop that cannot go on does not keep the others from running; what went wrong with it is thrown at the end. */
async function runReady(run: Run, limit: number | null): Promise<RunOutcome> {
  const { engine } = run;
  const loops: Loop[] = [];
  const problems: unknown[] = [];
  let started = 0;
  const mayStart = () => (limit === null || started < limit) && run.control.requested === null;
  const attempt = async (work: () => Promise<Loop>) => {
    started++;
    try {
      loops.push(await work());
    } catch (error) {
      if (isSetupProblem(error)) throw error;
      problems.push(error);
      const text = error instanceof Error ? error.message : String(error);
      engine.publish({ kind: 'notice', text });
    }
  };
  const { loops: interrupted, unfinished } = await findLeftBehind(engine, run.session);
  for (const loop of unfinished) {
    engine.publish({ kind: 'notice', text: `finishing ${loop.id}, which was complete` });
    await attempt(() => finishLoop(engine, run.session, loop));
    started--;
  }
  for (const { id, status } of interrupted) {
    if (!mayStart()) break;
    engine.publish({ kind: 'notice', text: `resuming ${id}, which was interrupted` });
    await attempt(() => driveLoop(run, id, { why: whyLeft(status) }));
  }
  while (mayStart()) {
    await freeTasksOfGone(engine);
    const task = await claimReady(run);
    if (task === null) break;
    await attempt(() => startTask(run, task));
  }
  if (problems.length > 0) throw problems[0];
  const counts = await engine.store.read((tx) => tx.tasks.counts());
  const isFull = limit !== null && started >= limit;
  return {
    loops,
    limited: isFull && counts.ready > 0,
    held: !isFull && counts.ready === 0 && counts.pending > 0,
  };
}

/** What would stop every further task as well: there is no point in trying the next one. */
function isSetupProblem(error: unknown): boolean {
  if (!isLoopwrightError(error)) return true;
  return ['run.', 'agent.', 'config.', 'strategy.', 'loop_type.', 'store.'].some((prefix) =>
    error.code.startsWith(prefix),
  );
}

function whyLeft(status: Loop['status']): string {
  return isResting(status) ? 'it was interrupted' : 'its engine was gone';
}

async function claimReady({ engine, session }: Run): Promise<Task | null> {
  await engine.reach('before:claim-task');
  const task = await engine.store.write(async (tx) => {
    const now = engine.clock.now();
    await tx.tasks.expireLeases(now);
    const leaseUntil = now + engine.leaseMs;
    const claim = await tx.tasks.claim({ owner: session.id, now, leaseUntil });
    return claim === null ? null : tx.tasks.get(claim.taskId);
  });
  await engine.reach('after:claim-task');
  return task;
}

async function startTask(run: Run, task: Task): Promise<Loop> {
  const { engine, options } = run;
  try {
    await holdTask(run, task);
    // Its engine died meanwhile and its lease has ended: the loop goes on, there is no second one beside it.
    const orphan = await unfinishedLoop(engine, task.id);
    if (orphan !== null && !isResting(orphan.status)) {
      return await driveLoop(run, orphan.id, { why: 'its engine was gone' });
    }
    const plan = await options.planFor(task);
    await warnOfUnmerged(run, task, plan.settings);
    const loop = await createLoop(engine, {
      task,
      ...plan,
      options: { ...options.loop, verifyOnly: task.children > 0 },
      allowDirty: options.allowDirty,
    });
    return await driveLoop(run, loop.id, { why: 'started' });
  } catch (error) {
    // What a person must put right leaves the task as it was, ready to be run again.
    // If even that fails the store is what broke; the error itself says more, and the claim ends with this process.
    await releaseTask(run, task.id).catch(() => {});
    throw error;
  }
}

/** Prerequisites that were done but not merged are not in the base this loop starts from. */
async function warnOfUnmerged({ engine }: Run, task: Task, settings: Settings): Promise<void> {
  if (settings.git.merge !== 'none' || engine.project.kind !== 'git') return;
  const unmerged = await engine.store.read(async (tx) => {
    const titles: string[] = [];
    const before = [
      ...(await tx.tasks.dependenciesOf(task.id)),
      ...(await tx.tasks.childrenOf(task.id)),
    ];
    for (const each of before) {
      const [newest] = await tx.loops.list({ taskId: each.id, limit: 1 });
      const loop = newest === undefined ? null : await tx.loops.get(newest.id);
      if (loop !== null && loop.status === 'complete' && loop.mergedInto === null)
        titles.push(each.title);
    }
    return titles;
  });
  if (unmerged.length === 0) return;
  const text = `warning: the work of ${unmerged.join(', ')} is not merged, so "${task.title}" starts without it (--merge local merges by itself)`;
  engine.publish({ kind: 'notice', text });
}

/** The task is claimed before its loop exists: a task that cannot be worked on leaves no loop behind. */
async function holdTask({ engine, session }: Run, task: Task): Promise<void> {
  const held = await engine.store.read((tx) => tx.tasks.claimOf(task.id));
  if (held?.owner === session.id) return;
  const isGone = held !== null && !(await isSessionAlive(engine, held.owner));
  const gone = isGone ? { takeOver: held.owner } : {};
  await engine.reach('before:claim-task');
  await engine.store.write(async (tx) => {
    const now = engine.clock.now();
    const leaseUntil = now + engine.leaseMs;
    const input = { owner: session.id, now, leaseUntil, taskId: task.id, ...gone };
    if ((await tx.tasks.claim(input)) === null) throw await cannotClaimTask(tx, task.id);
  });
  await engine.reach('after:claim-task');
}

async function releaseTask({ engine, session }: Run, taskId: string): Promise<void> {
  await engine.reach('before:release-task');
  await engine.store.write(async (tx) => {
    const claim = await tx.tasks.claimOf(taskId);
    if (claim !== null && claim.owner === session.id) await tx.tasks.release(claim);
  });
  await engine.reach('after:release-task');
}

/** Drives a loop to its rest. A full disk pauses it, and it goes on by itself when there is room again. */
async function driveLoop(run: Run, loopId: string, options: TakeOptions): Promise<Loop> {
  const { engine, control } = run;
  for (let take = options; ; take = { why: 'there is space again' }) {
    try {
      return await driveOnce(run, loopId, take);
    } catch (error) {
      const loop = await parkedLoop(engine, loopId, error);
      if (loop === null) throw error;
      const text = `${loop.id} is paused: ${loop.text ?? 'no space left'}; it goes on when there is space again`;
      engine.publish({ kind: 'notice', text });
      if (!(await waitForRoom(engine, loop, control.asked))) return loop;
      await engine.disk.holdReserve();
    }
  }
}

/** The loop, if a full disk has paused it; null after any other error. */
async function parkedLoop(engine: Engine, loopId: string, error: unknown): Promise<Loop | null> {
  if (!isDiskFull(error)) return null;
  const loop = await engine.store.read((tx) => tx.loops.get(loopId));
  return loop?.status === 'paused' && loop.reason === 'disk' ? loop : null;
}

async function driveOnce(run: Run, loopId: string, options: TakeOptions): Promise<Loop> {
  const { engine, session, control } = run;
  await using _standby = { [Symbol.asyncDispose]: () => engine.supervisor.endStandby(loopId) };
  await using owner = await takeLoop(engine, session, loopId, options);
  using _requests = control.attach(owner);
  const loop = await driveOrPark(engine, owner);
  await owner[Symbol.asyncDispose]();
  return finishLoop(engine, session, loop);
}
