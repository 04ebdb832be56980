import path from 'node:path';
import type { Settings } from '../core/config/schema.ts';
import { LoopwrightError } from '../core/error.ts';
import type {
  Flags,
  LoopEvent,
  LoopOptions,
  PromptRecord,
  WorkspaceRecord,
} from '../core/loop/event.ts';
import type { Loop } from '../core/loop/loop.ts';
import type { Task } from '../core/task/task.ts';
import { gateName } from '../core/verdict/gate.ts';
import type { StoreTx } from '../ports/store.ts';
import type { CheckoutState } from '../ports/workspace.ts';
import { guardBase } from './base-guard.ts';
import type { Engine } from './engine.ts';
import { defaultLoopType } from './plan-loop.ts';

export type CreateLoopInput = {
  readonly task: Task;
  readonly settings: Settings;
  readonly flags: Flags;
  readonly prompt: PromptRecord;
  readonly options: LoopOptions;
  /** Work in a dirty checkout all the same (only in place). */
  readonly allowDirty: boolean;
  /** The checkout, if it was looked at just now. */
  readonly checkout?: CheckoutState;
};

const idTries = 5;

/** Stores a new loop for a task. Nothing is spent yet; the branch and worktree are made by its owner. */
export async function createLoop(engine: Engine, input: CreateLoopInput): Promise<Loop> {
  for (let attempt = 1; ; attempt++) {
    const id = engine.ids.loop();
    const workspace = await planWorkspace(engine, id, input);
    try {
      return await insertLoop(engine, id, workspace, input);
    } catch (error) {
      const collided = error instanceof LoopwrightError && error.code === 'store.exists';
      if (!collided || attempt === idTries) throw error;
    }
  }
}

async function insertLoop(
  engine: Engine,
  loopId: string,
  workspace: WorkspaceRecord,
  { task, settings, flags, prompt, options }: CreateLoopInput,
): Promise<Loop> {
  const now = engine.clock.now();
  await engine.reach('before:loop.created');
  const created = await engine.store.write(async (tx) => {
    const event: Extract<LoopEvent, { type: 'loop.created' }> = {
      type: 'loop.created',
      loopId,
      taskId: task.id,
      title: task.title,
      loopType: task.type ?? defaultLoopType,
      agent: settings.agent ?? '',
      settings,
      flags,
      prompt,
      options,
      workspace,
      attemptsBefore: await tx.loops.countAttempts(task.id),
      consecutiveFailures: await failuresSoFar(tx, task.id),
    };
    const loop = await tx.loops.create(event, now);
    await tx.queue.enqueue(loopId, await tx.leaseTime());
    return { loop, event };
  });
  const recorded = { seq: created.loop.seq, time: now, elapsedMs: 0, event: created.event };
  engine.publish({ kind: 'recorded', loop: created.loop, recorded });
  await engine.reach('after:loop.created');
  return created.loop;
}

/** Failures in a row go on from the loop before. */
export async function failuresSoFar(tx: StoreTx, taskId: string): Promise<number> {
  const [newest] = await tx.loops.list({ taskId, limit: 1 });
  const loop = newest === undefined ? null : await tx.loops.get(newest.id);
  return loop?.consecutiveFailures ?? 0;
}

/** Where a loop of this id would work, and from which commit. Refuses what it cannot start from. */
export async function planWorkspace(
  engine: Engine,
  loopId: string,
  {
    settings,
    options,
    allowDirty,
    checkout: seen,
  }: Pick<CreateLoopInput, 'settings' | 'options' | 'allowDirty' | 'checkout'>,
): Promise<WorkspaceRecord> {
  const { project } = engine;
  const inPlace = options.inPlace || project.kind === 'folder';
  if (inPlace && settings.sandbox.level === 'worktree') throw noWorktreeToGuard(project.kind);
  refuseWithoutCommits(settings, inPlace || !options.commit);
  if (project.kind === 'folder') {
    return { mode: 'in-place', path: project.root, branch: null, base: null, baseRef: null };
  }
  const signal = AbortSignal.timeout(60_000);
  if (options.inPlace) {
    const checkout = seen ?? (await project.describe(signal));
    if (checkout.dirty && !allowDirty) throw dirtyCheckout(project.root);
    const { branch, head: base } = checkout;
    await project.sync(branch === null ? [] : [branch]);
    return { mode: 'in-place', path: project.root, branch, base, baseRef: branch };
  }
  const checkout = await project.checkedOut(signal);
  const baseRef = settings.git.base ?? checkout.branch;
  const doubt = baseRef === null ? null : await guardBase(engine, baseRef, null, signal);
  if (doubt?.kind === 'moved-back') engine.publish({ kind: 'notice', text: doubt.text });
  if (doubt?.kind === 'doubtful') {
    throw new LoopwrightError('git.base_moved', doubt.rest.text);
  }
  const base =
    baseRef === null
      ? checkout.head
      : ((await project.resolve(`refs/heads/${baseRef}`, signal)) ??
        (await project.resolve(baseRef, signal)));
  if (base === null) throw noBase(baseRef);
  project.requireStart(base);
  await project.sync(baseRef === null ? [] : [baseRef]);
  const folder = settings.workspace.dir ?? path.join(engine.stateDir, 'worktrees');
  const place = path.resolve(project.root, folder, loopId);
  return {
    mode: 'worktree',
    // Worktrees outside of a project that is a copy must not lie among those of the original.
    path: await engine.store.read((tx) => tx.places.locate(place)),
    branch: `loopwright/${loopId}`,
    base,
    baseRef,
  };
}

const needCommits: ReadonlySet<string> = new Set(['red-first', 'llm-judge', 'ci']);

/** What is done in a worktree of its own needs commits to make it from. */
function refuseWithoutCommits(settings: Settings, isWithout: boolean): void {
  if (!isWithout) return;
  const gate = settings.gates.find(({ type }) => needCommits.has(type));
  if (gate === undefined && !settings.verify['clean-room']) return;
  const what = gate === undefined ? '`verify.clean-room`' : `the gate ${gateName(gate)}`;
  throw new LoopwrightError(
    'run.needs_commits',
    `${what} needs a git repository, a worktree and commits`,
    { hint: 'leave --in-place and --no-commit away, or take it out of the configuration' },
  );
}

function noWorktreeToGuard(kind: 'git' | 'folder'): LoopwrightError {
  return new LoopwrightError(
    'run.sandbox_unavailable',
    kind === 'folder'
      ? 'sandbox: worktree needs a git repository, and this folder is none'
      : 'sandbox: worktree and --in-place contradict each other: the loop would work in the checkout that must not change',
    { hint: 'leave --in-place away, or set `sandbox: off`' },
  );
}

function dirtyCheckout(root: string): LoopwrightError {
  return new LoopwrightError('git.dirty', `the checkout at ${root} has uncommitted changes`, {
    hint: 'commit or stash them, leave --in-place away (a loop then gets its own worktree), or add --allow-dirty',
  });
}

function noBase(baseRef: string | null): LoopwrightError {
  return baseRef === null
    ? new LoopwrightError('git.no_commit', 'the repository has no commit to start from', {
        hint: 'make a first commit: `git add -A && git commit -m start`',
      })
    : new LoopwrightError('git.no_base', `the base branch ${baseRef} has no commit`, {
        hint: 'make a first commit, or name another branch in `git.base`',
      });
}
