import type { Settings } from '../core/config/schema.ts';
import { LoopwrightError } from '../core/error.ts';
import { isReady } from '../core/graph/ready.ts';
import type { Request } from '../core/loop/decide.ts';
import type { Flags, LoopOptions, PromptRecord } from '../core/loop/event.ts';
import type { Loop } from '../core/loop/loop.ts';
import type { Task } from '../core/task/task.ts';
import type { Session } from '../ports/store.ts';
import type { CheckoutState } from '../ports/workspace.ts';
import { backUpWhenDue, withBackups } from './back-up.ts';
import { isDiskFull } from './disk-full.ts';
import { driveLoop, type Run } from './drive-loop.ts';
import type { Engine } from './engine.ts';
import type { LoopOwner } from './loop-owner.ts';
import { MergeQueue } from './merge-queue.ts';
import { recallOutages, recallWindows } from './outages.ts';
import { pruneMemory } from './prune-memory.ts';
import { requireWorkable, runListed, runReady } from './run-ready.ts';
import { endSession, startSession } from './session.ts';
import { sweepFailed } from './sweep-failed.ts';
import { startTask } from './start-task.ts';
import { isTakenElsewhere } from './taken-elsewhere.ts';
import { tellQueue } from './tell-queue.ts';
import { tidyWorktrees } from './tidy-worktrees.ts';
import { createUncommittedNotice } from './tell-uncommitted.ts';
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
  /** Loops at rest that go on, as many at once as asked; nothing else. */
  | { readonly kind: 'loops'; readonly loops: readonly ListedLoop[] }
  /** Interrupted loops first, then everything that is ready; at most `limit` loops are started. */
  | { readonly kind: 'ready'; readonly limit: number | null };

export type ListedLoop = {
  readonly loopId: string;
  readonly changed?: Pick<LoopPlan, 'settings' | 'flags'>;
};

export type RunOptions = {
  readonly loop: Omit<LoopOptions, 'verifyOnly'>;
  readonly allowDirty: boolean;
  /** The checkout, if it was looked at just now. */
  readonly checkout?: CheckoutState;
  /** Loops, and agents, that run at once. */
  readonly jobs?: number;
  /** Named explicitly: they win over what `jobs` says of loops and of agents. */
  readonly maxLoops?: number;
  readonly maxAgents?: number;
  /** Too little disk is waited for; a daemon always does. */
  readonly wait?: boolean;
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
  /** Too little disk, in words, when it keeps tasks or loops from starting or has paused one; else null. */
  readonly full: string | null;
  /** The budget of the run or the day, in words, when it keeps tasks or loops from starting or has stopped one; else null. */
  readonly spent: string | null;
  /** Nothing was ready although tasks are left: every one waits behind a task that a person must look at. */
  readonly held: boolean;
  /** Nothing was ready, and so many tasks wait for work that another engine does. */
  readonly waiting: number;
};

/** How a run is asked to stop: by signals of the terminal, or by the caller's AbortSignal. */
export class RunControl {
  #request: Request | null = null;
  readonly #asked = new AbortController();
  readonly #cut = new AbortController();
  readonly #listeners = new Set<(request: Request) => void>();

  interrupt(when: Request['when']): void {
    this.#request = { kind: 'interrupt', when };
    this.#asked.abort();
    if (when === 'cut') this.#cut.abort();
    for (const listener of this.#listeners) listener(this.#request);
  }

  get requested(): Request | null {
    return this.#request;
  }

  /** Aborted at the first request. */
  get asked(): AbortSignal {
    return this.#asked.signal;
  }

  /** Aborted when work under way must be cut short. */
  get cut(): AbortSignal {
    return this.#cut.signal;
  }

  /** Passes requests on to a loop's owner while it is driven. */
  attach(owner: LoopOwner): Disposable {
    const listener = (request: Request) => owner.request(request);
    if (this.#request !== null) listener(this.#request);
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }
}

/** Runs loops, as many at once as asked, until there is nothing left to do or somebody asks to stop. */
export async function runLoops(
  opened: Engine,
  request: RunRequest,
  options: RunOptions,
  control: RunControl,
): Promise<RunOutcome> {
  const engine = withBackups(opened);
  const { limits } = engine.slots;
  const { jobs = 1, maxLoops: loop = jobs, maxAgents: agent = jobs } = options;
  if (loop > 1 && engine.project.kind === 'folder') throw oneAtATime();
  // A daemon runs under the configured limits, with many of these at once.
  if (options.session !== 'daemon') {
    engine.slots.limits = { ...limits, slots: { ...limits.slots, loop, agent } };
  }
  engine.slots.waitsForDisk = options.session === 'daemon' || options.wait === true;
  const session = await startSession(engine, options.session ?? 'run');
  // A daemon has done so when it started.
  if (options.session !== 'daemon') {
    await tidyWorktrees(engine);
    await recallOutages(engine);
    await recallWindows(engine);
  }
  // Beside everything else: until an agent works nothing fills the disk.
  const reserve = engine.disk.holdReserve();
  await using _reserve = { [Symbol.asyncDispose]: async () => void (await reserve) };
  // A daemon tells of all its loops in one place.
  await using _queue = options.session === 'daemon' ? null : tellQueue(engine, session);
  const merges = new MergeQueue(engine, session, control.cut);
  const tellUncommitted = createUncommittedNotice(engine);
  const run = { engine, session, options, control, merges, tellUncommitted };
  const outcome = await runRequest(run, request).catch(async (error: unknown) => {
    // The store may be what broke: then the error says more than a failure to write the end of the session.
    await endSession(engine, session).catch(() => {});
    throw error;
  });
  const settings = outcome.loops.at(-1)?.settings;
  if (settings !== undefined && outcome.full === null) await tidyUp(engine, session, settings);
  await endSession(engine, session).catch((error: unknown) => {
    // That the process is gone says the same, and the outcome says why.
    if (outcome.full === null || !isDiskFull(error)) throw error;
  });
  return outcome;
}

/** What is old can go next time too: the run itself is over and stored. */
async function tidyUp(engine: Engine, session: Session, settings: Settings): Promise<void> {
  const tell = (what: string) => (error: unknown) => {
    const text = error instanceof Error ? error.message : String(error);
    engine.publish({ kind: 'notice', text: `warning: ${what}: ${text}` });
  };
  await backUpWhenDue(engine);
  await pruneMemory(engine, settings, { dryRun: false }).catch(tell('memory was not pruned'));
  await sweepFailed(engine, session, settings.git['keep-failed']).catch(
    tell('old worktrees were not removed'),
  );
}

async function runRequest(run: Run, request: RunRequest): Promise<RunOutcome> {
  switch (request.kind) {
    case 'task':
      return only(await runTask(run, request.taskId, request.fresh));
    case 'loop': {
      const take = { why: request.why ?? 'resumed by hand', ...request.changed };
      // A command line has looked before it asked; a daemon goes on with what it finds.
      if (run.options.session === 'daemon') await requireStillWorkable(run.engine, request);
      return only([await driveLoop(run, request.loopId, take)]);
    }
    case 'loops':
      return runListed(run, request.loops);
    case 'ready':
      return runReady(run, request.limit);
  }
}

async function requireStillWorkable(
  engine: Engine,
  { loopId, changed }: Extract<RunRequest, { kind: 'loop' }>,
): Promise<void> {
  const loop = await engine.store.read((tx) => tx.loops.get(loopId));
  if (loop === null) return;
  await requireWorkable(engine, { ...loop, settings: changed?.settings ?? loop.settings });
}

function only(loops: readonly Loop[]): RunOutcome {
  return { loops, limited: false, full: null, spent: null, held: false, waiting: 0 };
}

/** The loop of one task; after one that failed, as many more as `max-retries` allows. Those of a daemon queue up again. */
async function runTask(run: Run, taskId: string, fresh: boolean): Promise<readonly Loop[]> {
  const { engine, options, control } = run;
  const readTask = () => engine.store.read((tx) => tx.tasks.resolve(taskId));
  const loops = [await runTaskOnce(run, await readTask(), fresh)];
  while (options.session !== 'daemon' && control.requested === null) {
    const task = await readTask();
    if (loops.at(-1)?.status !== 'failed' || !isReady(task)) break;
    const text = `another loop for ${task.id}: retry ${task.retries} of ${task.maxRetries}`;
    engine.publish({ kind: 'notice', text });
    const next = await startTask(run, task).catch((error: unknown) => {
      if (isTakenElsewhere(error)) return null;
      throw error;
    });
    if (next === null) break;
    loops.push(next);
  }
  return loops;
}

async function runTaskOnce(run: Run, task: Task, fresh: boolean): Promise<Loop> {
  const { engine } = run;
  const unfinished = fresh ? null : await unfinishedLoop(engine, task.id);
  if (unfinished !== null) {
    const text = `resuming ${unfinished.id}, which is unfinished (--new starts another)`;
    engine.publish({ kind: 'notice', text });
    await requireWorkable(engine, unfinished);
    return driveLoop(run, unfinished.id, { why: 'run again' });
  }
  return startTask(run, task);
}

function oneAtATime(): LoopwrightError {
  return new LoopwrightError(
    'run.one_at_a_time',
    'outside of git loops share one folder, so only one can run at a time',
    {
      hint: 'leave --jobs away, or make it a repository: `git init && git add -A && git commit -m start`',
    },
  );
}
