import type { Settings } from '../core/config/schema.ts';
import { isLoopwrightError } from '../core/error.ts';
import type { Request } from '../core/loop/decide.ts';
import type { Flags, LoopOptions, PromptRecord } from '../core/loop/event.ts';
import type { Loop } from '../core/loop/loop.ts';
import type { Rest } from '../core/loop/judge.ts';
import { repair } from '../core/loop/repair.ts';
import { isResting } from '../core/loop/status.ts';
import { breach, guardsSurroundings, tamperedText } from '../core/loop/surroundings.ts';
import type { Task } from '../core/task/task.ts';
import type { Session } from '../ports/store.ts';
import { createLoop } from './create-loop.ts';
import { drive } from './drive.ts';
import type { Engine } from './engine.ts';
import { finishLoop } from './finish-loop.ts';
import { leaseMs, type LoopOwner } from './loop-owner.ts';
import { reportSurroundings } from './report-surroundings.ts';
import { endSession, hasLivingOwner, isSessionAlive, startSession } from './session.ts';
import { cannotClaimTask, takeLoop, type TakeOptions } from './take-loop.ts';
import { tellStrategy } from './tell-strategy.ts';
import { unfinishedLoop } from './text-task.ts';

/** What to run. */
export type RunRequest =
  /** One task; its unfinished loop goes on unless `fresh`. */
  | { readonly kind: 'task'; readonly taskId: string; readonly fresh: boolean }
  /** One loop by hand, also a failed or stopped one. */
  | {
      readonly kind: 'loop';
      readonly loopId: string;
      readonly changed?: Pick<LoopPlan, 'settings' | 'flags'>;
    }
  /** Interrupted loops first, then everything that is ready; at most `limit` loops are started. */
  | { readonly kind: 'ready'; readonly limit: number | null };

export type RunOptions = {
  readonly loop: Omit<LoopOptions, 'verifyOnly'>;
  readonly allowDirty: boolean;
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
  readonly #listeners = new Set<(request: Request) => void>();

  interrupt(when: Request['when']): void {
    this.#request = { kind: 'interrupt', when };
    for (const listener of this.#listeners) listener(this.#request);
  }

  get requested(): Request | null {
    return this.#request;
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
  const session = await startSession(engine, 'run');
  try {
    await freeOrphanedTasks(engine);
    const run = { engine, session, options, control };
    switch (request.kind) {
      case 'task':
        return only([await runTask(run, request.taskId, request.fresh)]);
      case 'loop':
        return only([
          await driveLoop(run, request.loopId, { why: 'resumed by hand', ...request.changed }),
        ]);
      case 'ready':
        return await runReady(run, request.limit);
    }
  } finally {
    await endSession(engine, session);
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
  for (const { loopId, why } of await findInterrupted(engine)) {
    if (!mayStart()) break;
    engine.publish({ kind: 'notice', text: `resuming ${loopId}, which was interrupted` });
    await attempt(() => driveLoop(run, loopId, { why }));
  }
  while (mayStart()) {
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

/** Tasks that a dead engine had claimed and not yet made a loop for go back to where they were, without waiting for the lease. */
async function freeOrphanedTasks(engine: Engine): Promise<void> {
  const running = await engine.store.read((tx) => tx.tasks.list({ status: 'running' }));
  for (const { id } of running) {
    const claim = await engine.store.read((tx) => tx.tasks.claimOf(id));
    if (claim === null || (await isSessionAlive(engine, claim.owner))) continue;
    await engine.store.write((tx) => tx.tasks.release(claim));
  }
}

/** Loops that should be driven and have no living owner, and those a signal has paused. */
async function findInterrupted(
  engine: Engine,
): Promise<readonly { loopId: string; why: string }[]> {
  const { entries, paused } = await engine.store.read(async (tx) => ({
    entries: await tx.queue.entries(),
    paused: await tx.loops.list({ statuses: ['paused'] }),
  }));
  const orphans: { loopId: string; why: string }[] = [];
  for (const entry of entries) {
    if (await hasLivingOwner(engine, entry)) continue;
    const loop = await engine.store.read((tx) => tx.loops.get(entry.loopId));
    if (loop === null || isResting(loop.status)) continue;
    orphans.push({ loopId: entry.loopId, why: 'its engine was gone' });
  }
  const signalled = paused
    .filter((loop) => loop.reason === 'interrupted')
    .map((loop) => ({ loopId: loop.id, why: 'it was interrupted' }));
  return [...orphans, ...signalled];
}

async function claimReady({ engine, session }: Run): Promise<Task | null> {
  return engine.store.write(async (tx) => {
    const now = engine.clock.now();
    await tx.tasks.expireLeases(now);
    const claim = await tx.tasks.claim({ owner: session.id, now, leaseUntil: now + leaseMs });
    return claim === null ? null : tx.tasks.get(claim.taskId);
  });
}

async function startTask(run: Run, task: Task): Promise<Loop> {
  const { engine, options } = run;
  await holdTask(run, task);
  try {
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
    await releaseTask(run, task.id);
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
  await engine.store.write(async (tx) => {
    const held = await tx.tasks.claimOf(task.id);
    if (held?.owner === session.id) return;
    const now = engine.clock.now();
    const input = { owner: session.id, now, leaseUntil: now + leaseMs, taskId: task.id };
    if ((await tx.tasks.claim(input)) === null) throw await cannotClaimTask(tx, task.id);
  });
}

async function releaseTask({ engine, session }: Run, taskId: string): Promise<void> {
  await engine.store.write(async (tx) => {
    const claim = await tx.tasks.claimOf(taskId);
    if (claim !== null && claim.owner === session.id) await tx.tasks.release(claim);
  });
}

async function driveLoop(run: Run, loopId: string, options: TakeOptions): Promise<Loop> {
  const { engine, session, control } = run;
  await using owner = await takeLoop(engine, session, loopId, options);
  using _requests = control.attach(owner);
  const loop = await driveOrPark(engine, owner);
  await owner[Symbol.asyncDispose]();
  return finishLoop(engine, session, loop);
}

/** An error that is nobody's verdict (disk full, git broken) parks the loop: paused with the reason, nothing lost. */
async function driveOrPark(engine: Engine, owner: LoopOwner): Promise<Loop> {
  try {
    return await drive(engine, owner);
  } catch (error) {
    const code = isLoopwrightError(error) ? error.code : 'internal';
    if (code !== 'store.fenced' && code !== 'loop.lost') await park(engine, owner, error);
    throw error;
  }
}

async function park(engine: Engine, owner: LoopOwner, error: unknown): Promise<void> {
  const text = error instanceof Error ? error.message : String(error);
  try {
    owner.discardUnstored();
    // An agent that broke the workspace may have changed what is around it too.
    const changed = await reportSurroundings(engine, owner).catch(() => null);
    const broken = changed !== null && guardsSurroundings(owner.loop);
    const rest: Rest = broken
      ? breach(`${tamperedText(changed)} (and then: ${text})`)
      : { status: 'paused', reason: 'interrupted', text };
    await owner.record(
      ...(changed === null ? [] : [changed]),
      ...repair(owner.loop, { why: text, endedProcess: false }),
      { type: 'loop.rested', ...rest },
    );
    await tellStrategy(engine, owner.loop);
  } catch {
    // The store itself is what broke: the lease runs out and the next owner repairs the loop.
  }
}
