import { LoopwrightError } from '../core/error.ts';
import type { Loop } from '../core/loop/loop.ts';
import type { Workspace } from '../ports/workspace.ts';
import type { Engine } from './engine.ts';
import {
  conflicts,
  dirtyTarget,
  filteredFiles,
  keepsMoving,
  lostWork,
  noLongerPasses,
} from './merge-refusal.ts';
import { runVerification } from './run-verification.ts';
import { setUpWorkspace } from './set-up-workspace.ts';
import { workspaceSpec } from './workspace-spec.ts';

/** A complete loop and the head of its own work. */
export type Candidate = { readonly loop: Loop; readonly head: string };

/** What became of one loop. */
export type Merged =
  | { readonly kind: 'merged'; readonly commit: string }
  /** Base and branch are as they were; a person must do something first. */
  | { readonly kind: 'refused'; readonly error: LoopwrightError };

export type MergeSink = (loop: Loop, merged: Merged) => void;

/** A candidate with what it would be on top of those before it. */
type Stacked = { readonly candidate: Candidate; readonly top: string };

export type Batch = {
  readonly engine: Engine;
  /** Records that the base is about to be moved for a loop. */
  starts(loop: Loop, move: NonNullable<Loop['merging']>): Promise<void>;
  readonly baseRef: string;
  readonly sink: MergeSink;
  readonly signal: AbortSignal;
};

const tries = 5;

/**
 * Brings loops that share a base branch into it, in their order: each is put on top of the one before, the last of them
 * is verified with everybody's checks, and the base is moved once. If that fails, halves are tried until the one at
 * fault is known. Whoever conflicts with the base itself is refused; whoever conflicts with a loop before it waits for
 * that to be merged or refused. Each loop is told to the sink once.
 */
export async function mergeBatch(batch: Batch, candidates: readonly Candidate[]): Promise<void> {
  let left = candidates;
  for (let turn = 1; left.length > 0; turn++) {
    if (turn > tries + candidates.length) {
      for (const candidate of left) await refuse(batch, candidate, keepsMoving(candidate.loop));
      return;
    }
    left = await mergeOnce(batch, left);
  }
}

/** Answers who is to be tried again. */
async function mergeOnce(
  batch: Batch,
  candidates: readonly Candidate[],
): Promise<readonly Candidate[]> {
  const { engine, baseRef, signal } = batch;
  const from = await engine.project.resolve(`refs/heads/${baseRef}`, signal);
  if (from === null) throw new LoopwrightError('git.no_base', `the branch ${baseRef} is gone`);
  const { stack, later } = await stackUp(batch, candidates, from);
  const last = stack.at(-1);
  if (last === undefined) return later;
  if (await passes(batch, stack, from)) {
    return (await moveBase(batch, stack, from, last.top)) ? later : candidates;
  }
  if (stack.length === 1) {
    const dir = await engine.artifacts.namedDir(last.candidate.loop.id, 'merge');
    await refuse(batch, last.candidate, noLongerPasses(last.candidate.loop, dir));
    return later;
  }
  // One of them is at fault: the first half is merged without the second, or looked at more closely.
  await putBack(batch, last.candidate);
  const half = Math.ceil(stack.length / 2);
  const suspects = stack.map(({ candidate }) => candidate);
  await mergeBatch(batch, suspects.slice(0, half));
  await mergeBatch(batch, suspects.slice(half));
  return later;
}

/** Puts the work of each on top of the one before, in the object store alone. */
async function stackUp(
  batch: Batch,
  candidates: readonly Candidate[],
  from: string,
): Promise<{ readonly stack: readonly Stacked[]; readonly later: readonly Candidate[] }> {
  const { engine, sink, signal } = batch;
  const stack: Stacked[] = [];
  const later: Candidate[] = [];
  let tip = from;
  for (const candidate of candidates) {
    const { loop, head } = candidate;
    const { merging } = loop;
    if (merging !== undefined && (await engine.project.contains(from, merging.to, signal))) {
      // An engine that was killed has moved the base and could not say so.
      await engine.project.sync([batch.baseRef]);
      sink(loop, { kind: 'merged', commit: merging.to });
      continue;
    }
    if (merging !== undefined) await engine.project.endMove(merging.into, merging.to, signal);
    if (!(await engine.project.isWhole(head, loop.workspace.base, signal))) {
      sink(loop, { kind: 'refused', error: lostWork(loop, head) });
      continue;
    }
    const replayed = await engine.project.replay(head, loop.workspace.base ?? tip, tip, signal);
    if (replayed.kind !== 'conflict') {
      tip = replayed.head;
      stack.push({ candidate, top: tip });
    } else if (tip === from) {
      await refuse(batch, candidate, conflicts(loop, replayed.files));
    } else {
      later.push(candidate);
    }
  }
  return { stack, later };
}

/**
 * Whether the checks of all pass on the top of the stack, run in the worktree of the last. Nothing is run for a single
 * loop that is still what it was when it passed.
 */
async function passes(
  { engine, signal }: Batch,
  stack: readonly Stacked[],
  from: string,
): Promise<boolean> {
  const last = stack.at(-1);
  if (last === undefined) return false;
  const { candidate, top } = last;
  if (stack.length === 1 && top === candidate.loop.head) return true;
  const workspace = await openForMerge(engine, candidate.loop, signal);
  await engine.reach('before:merge-rebase');
  await workspace.moveTo(top, signal);
  await engine.reach('after:merge-rebase');
  return passesAll(engine, stack, workspace, { from, to: top }, signal);
}

async function openForMerge(engine: Engine, loop: Loop, signal: AbortSignal): Promise<Workspace> {
  await engine.reach('before:open-workspace');
  const { workspace, created } = await engine.project.openWorkspace(workspaceSpec(loop), signal);
  await engine.reach('after:open-workspace');
  if (created) {
    await setUpWorkspace(engine, loop, { cwd: workspace.path, walled: true }, signal);
  }
  return workspace;
}

/** False when the base has moved meanwhile. */
async function moveBase(
  batch: Batch,
  stack: readonly Stacked[],
  from: string,
  to: string,
): Promise<boolean> {
  const { engine, baseRef, sink, signal } = batch;
  // A crash right after the move leaves loops that are in the base and do not know it: it is written down before.
  for (const { candidate } of stack)
    await batch.starts(candidate.loop, { into: baseRef, from, to });
  await engine.reach('before:fast-forward');
  // Half a move is worse than a late end: from here on nothing cuts it short.
  signal.throwIfAborted();
  const moved = await engine.project.fastForward(baseRef, from, to, AbortSignal.timeout(moveMs));
  await engine.reach('after:fast-forward');
  for (const { candidate, top } of stack) {
    const { loop } = candidate;
    if (moved.kind === 'moved') sink(loop, { kind: 'merged', commit: top });
    if (moved.kind === 'dirty') {
      await refuse(batch, candidate, dirtyTarget(loop, baseRef, moved.path));
    }
    if (moved.kind === 'filtered') await refuse(batch, candidate, filteredFiles(loop, moved.files));
  }
  return moved.kind !== 'moved-meanwhile';
}

const moveMs = 120_000;

async function refuse(batch: Batch, candidate: Candidate, error: LoopwrightError): Promise<void> {
  await putBack(batch, candidate);
  batch.sink(candidate.loop, { kind: 'refused', error });
}

/** A branch that was moved for the checks goes back to its own work: that of others is not merged with it. */
async function putBack({ engine, signal }: Batch, { loop, head }: Candidate): Promise<void> {
  const branch = await engine.project.resolve(`refs/heads/${loop.workspace.branch ?? ''}`, signal);
  if (branch === head) return;
  const workspace = await openForMerge(engine, loop, signal);
  await engine.reach('before:merge-rebase');
  await workspace.moveTo(head, signal);
  await engine.reach('after:merge-rebase');
}

/** Loops with the same checks need them run once. */
async function passesAll(
  engine: Engine,
  stack: readonly Stacked[],
  workspace: Workspace,
  span: { readonly from: string; readonly to: string },
  signal: AbortSignal,
): Promise<boolean> {
  const tree = await workspace.snapshot(signal);
  const judges = new Map<string, Loop>();
  for (const { candidate } of stack) judges.set(checksOf(candidate.loop), candidate.loop);
  for (const judge of judges.values()) {
    const dir = await engine.artifacts.namedDir(judge.id, 'merge');
    const work = {
      ...span,
      changes: (before: string, after: string) => workspace.changes(before, after, signal),
    };
    const judged = { cwd: workspace.path, dir, tree, commit: span.to, work };
    const report = await runVerification(engine, judge, judged, signal);
    signal.throwIfAborted();
    if (report?.overall.passed !== true) return false;
  }
  return true;
}

function checksOf({ settings, baseline }: Loop): string {
  const { validation, verify, env } = settings;
  return JSON.stringify([validation, verify, env, baseline?.report?.overall ?? null]);
}
