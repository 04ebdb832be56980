import { LoopwrightError } from '../core/error.ts';
import type { Loop } from '../core/loop/loop.ts';
import type { FastForward, Workspace } from '../ports/workspace.ts';
import { guardBase } from './base-guard.ts';
import { isConfirmable, isStackConfirmed } from './confirm-merge.ts';
import type { Engine } from './engine.ts';
import {
  conflicts,
  dirtyTarget,
  doubtfulBase,
  filteredFiles,
  keepsMoving,
  lostWork,
  noLongerPasses,
  setupFailed,
} from './merge-refusal.ts';
import { runVerification } from './run-verification.ts';
import { holdMoves } from './settle-moves.ts';
import { setUpWorkspace } from './set-up-workspace.ts';
import { workspaceSpec } from './workspace-spec.ts';

/** A complete loop and the head of its own work. */
export type Candidate = { readonly loop: Loop; readonly head: string };

/** What became of one loop. */
export type Merged =
  | { readonly kind: 'merged'; readonly commit: string }
  /** Base and branch are as they were; a person must do something first. */
  | { readonly kind: 'refused'; readonly error: LoopwrightError }
  /** It could not be tried, for a reason of its own; the next run tries again. */
  | { readonly kind: 'failed'; readonly error: unknown };

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
 * Brings loops that share a base branch into it, in their order: each is put on top of the one before, the whole is
 * verified with the checks of all, and the base is moved once. If that fails, halves are tried until the one at fault
 * is known. A loop that conflicts with the base itself is refused; one that conflicts with a loop before it waits for
 * that to be merged or refused. An obstacle in the files of one loop fails that loop alone. No branch of a loop is
 * moved. Each loop is told to the sink once.
 */
export async function mergeBatch(batch: Batch, candidates: readonly Candidate[]): Promise<void> {
  let left = candidates;
  for (let turn = 1; left.length > 0; turn++) {
    if (turn > tries + candidates.length) {
      for (const { loop } of left) refuse(batch, loop, keepsMoving(loop));
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
  const doubt = await guardBase(engine, baseRef, null, signal);
  if (doubt?.kind === 'moved-back') engine.publish({ kind: 'notice', text: doubt.text });
  if (doubt?.kind === 'doubtful') {
    for (const { loop } of candidates) refuse(batch, loop, doubtfulBase(loop, doubt.rest.text));
    return [];
  }
  const from = await engine.project.resolve(`refs/heads/${baseRef}`, signal);
  if (from === null) throw new LoopwrightError('git.no_base', `the branch ${baseRef} is gone`);
  const { stack, later } = await stackUp(batch, candidates, from);
  const last = stack.at(-1);
  if (last === undefined) return later;
  const open = candidates.filter(
    (each) => later.includes(each) || stack.some(({ candidate }) => candidate === each),
  );
  try {
    if (await passes(batch, stack, from)) {
      return (await moveBase(batch, stack, from, last.top)) ? later : open;
    }
    if (stack.length === 1) {
      const { loop } = last.candidate;
      const dir = await ofLoop(last.candidate, () => engine.artifacts.namedDir(loop.id, 'merge'));
      refuse(batch, loop, noLongerPasses(loop, dir));
      return later;
    }
  } catch (error) {
    if (!(error instanceof Obstacle)) throw error;
    signal.throwIfAborted();
    const { candidate, cause } = error;
    batch.sink(candidate.loop, { kind: 'failed', error: cause });
    return open.filter((each) => each !== candidate);
  }
  // One of them is at fault: the first half is merged without the second, or looked at more closely.
  const half = Math.ceil(stack.length / 2);
  const suspects = stack.map(({ candidate }) => candidate);
  await mergeBatch(batch, suspects.slice(0, half));
  await mergeBatch(batch, suspects.slice(half));
  return later;
}

/** What went wrong with the files or the records of one loop: no reason to hold up the others. */
class Obstacle extends Error {
  readonly candidate: Candidate;

  constructor(candidate: Candidate, cause: unknown) {
    super(`${candidate.loop.id} cannot be merged`, { cause });
    this.candidate = candidate;
  }
}

async function ofLoop<Result>(candidate: Candidate, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof Obstacle ? error : new Obstacle(candidate, error);
  }
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
    if (!(await engine.project.isWhole(head, loop.workspace.base, signal))) {
      sink(loop, { kind: 'refused', error: lostWork(loop, head) });
      continue;
    }
    const base = loop.workspace.base ?? tip;
    const replayed = await engine.project
      .replay(head, base, tip, signal)
      .catch((error: unknown) => {
        signal.throwIfAborted();
        sink(loop, { kind: 'failed', error });
        return null;
      });
    if (replayed === null) continue;
    if (replayed.kind !== 'conflict') {
      tip = replayed.head;
      stack.push({ candidate, top: tip });
    } else if (tip === from) {
      refuse(batch, loop, conflicts(loop, replayed.files));
    } else {
      later.push(candidate);
    }
  }
  return { stack, later };
}

/**
 * Whether the checks of all pass on the top of the stack. Nothing is run for a single loop that is still what it was when it
 * passed.
 */
async function passes(batch: Batch, stack: readonly Stacked[], from: string): Promise<boolean> {
  const { engine, signal } = batch;
  const last = stack.at(-1);
  if (last === undefined) return false;
  const { candidate, top } = last;
  if (stack.length === 1 && top === candidate.loop.head) return true;
  const span = { from, to: top };
  const judges = new Map<string, Candidate>();
  for (const each of stack) judges.set(checksOf(each.candidate.loop), each.candidate);
  const all = [...judges.values()];
  const confirmed = all.filter(({ loop }) => isConfirmable(loop));
  await engine.reach('before:merge-rebase');
  for (const judge of confirmed) {
    const parts = stack.map((each) => each.candidate);
    const holds = await ofLoop(judge, () =>
      isStackConfirmed(engine, judge.loop, parts, span, signal),
    );
    if (!holds) return false;
  }
  await engine.reach('after:merge-rebase');
  const others = all.filter((each) => !confirmed.includes(each));
  return others.length === 0 || passesVisited(batch, last, others, span);
}

/** The checks of loops that are not confirmed: the top is shown in the worktree of the last meanwhile. */
async function passesVisited(
  { engine, signal }: Batch,
  { candidate, top }: Stacked,
  judges: readonly Candidate[],
  span: { readonly from: string; readonly to: string },
): Promise<boolean> {
  return ofLoop(candidate, async () => {
    const workspace = await openForMerge(engine, candidate.loop, signal);
    return workspace.visit(top, signal, () => passesAll(engine, judges, workspace, span, signal));
  });
}

async function openForMerge(engine: Engine, loop: Loop, signal: AbortSignal): Promise<Workspace> {
  await engine.reach('before:open-workspace');
  const { workspace, created } = await engine.project.openWorkspace(workspaceSpec(loop), signal);
  await engine.reach('after:open-workspace');
  if (!created) return workspace;
  const result = await setUpWorkspace(engine, loop, { cwd: workspace.path, walled: true }, signal);
  signal.throwIfAborted();
  const isSetUp = result === null || (result.end.kind === 'exited' && result.end.code === 0);
  if (!isSetUp) throw setupFailed(loop, result.command, result.output);
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
  for (const { candidate } of stack) {
    const move = { into: baseRef, from, to };
    await ofLoop(candidate, () => batch.starts(candidate.loop, move));
  }
  await engine.reach('before:fast-forward');
  // Half a move is worse than a late end: from here on nothing cuts it short.
  signal.throwIfAborted();
  const moved = await fastForward(engine, baseRef, stack, { from, to }, signal);
  await engine.reach('after:fast-forward');
  for (const { candidate, top } of stack) {
    const { loop } = candidate;
    if (moved.kind === 'moved') sink(loop, { kind: 'merged', commit: top });
    if (moved.kind === 'dirty') refuse(batch, loop, dirtyTarget(loop, baseRef, moved.path));
    if (moved.kind === 'filtered') refuse(batch, loop, filteredFiles(loop, moved.files));
  }
  return moved.kind !== 'moved-meanwhile';
}

/** However large it is: git that is stopped midway leaves what has to be undone. */
async function fastForward(
  engine: Engine,
  baseRef: string,
  stack: readonly Stacked[],
  { from, to }: { readonly from: string; readonly to: string },
  cut: AbortSignal,
): Promise<FastForward> {
  await using _lock = await holdMoves(engine, cut);
  const { signal } = new AbortController();
  const loops = stack.map(({ candidate }) => candidate.loop.id);
  return engine.project.fastForward(baseRef, from, to, signal, loops);
}

function refuse({ sink }: Batch, loop: Loop, error: LoopwrightError): void {
  sink(loop, { kind: 'refused', error });
}

async function passesAll(
  engine: Engine,
  judges: readonly Candidate[],
  workspace: Workspace,
  span: { readonly from: string; readonly to: string },
  signal: AbortSignal,
): Promise<boolean> {
  const tree = await workspace.snapshot(signal);
  for (const candidate of judges) {
    const judge = candidate.loop;
    const dir = await ofLoop(candidate, () => engine.artifacts.namedDir(judge.id, 'merge'));
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
