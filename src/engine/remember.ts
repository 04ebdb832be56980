import type { LoopEvent } from '../core/loop/event.ts';
import { filesTouched, type Iteration, type Loop } from '../core/loop/loop.ts';
import { nextMetrics, noMetrics } from '../core/memory/attempt.ts';
import { captureIteration, type Capture } from '../core/memory/capture.ts';
import { namedPaths } from '../core/memory/learning.ts';
import { offeredGuidance } from '../core/memory/offered-guidance.ts';
import type { StoreTx } from '../ports/store.ts';
import type { Engine } from './engine.ts';
import { freeId } from './free-id.ts';
import { mergeMemory } from './merge-memory.ts';
import { scopeOf } from './task-scope.ts';
import { recordVotes } from './record-votes.ts';

/**
 * Keeps what ended iterations leave for later ones: outcome and metrics, then the failure report, then votes on what it was
 * given, then learnings. What is decided later about an attempt corrects its outcome and its report. Runs in
 * the transaction that records the ends, whoever records them, so an iteration is remembered exactly once. With memory
 * switched off only the outcome and the metrics are kept.
 */
export async function remember(
  engine: Pick<Engine, 'ids' | 'clean'>,
  tx: StoreTx,
  loop: Loop,
  events: readonly LoopEvent[],
): Promise<void> {
  for (const event of events) {
    if (isAfterthought(event)) await correctAttempt(tx, loop);
    if (event.type !== 'iteration.ended') continue;
    const capture = captureIteration(loop, event);
    if (capture === null) continue;
    await recordAttempt(tx, loop, capture);
    if (!loop.settings.memory.enabled) continue;
    if (event.outcome !== 'interrupted') await recordVotes(tx, loop, event.number, capture);
    await addLearnings(engine, tx, loop, event.number, capture);
    await offerGuidance(engine, tx, loop, event.number);
    if (event.outcome === 'done') await markStale(tx, loop);
    await mergeMemory(engine, tx, loop.settings.memory, loop.updatedAt);
  }
}

async function recordAttempt(tx: StoreTx, loop: Loop, capture: Capture): Promise<void> {
  const { attempt, difficulty, report } = capture;
  const { enabled, 'stuck-after': stuckAfter } = loop.settings.memory;
  const metrics = (await tx.attempts.metrics(loop.taskId)) ?? noMetrics;
  await tx.attempts.record({
    ...attempt,
    report: enabled ? report : null,
    metrics: nextMetrics(metrics, { ...attempt, difficulty }, stuckAfter),
    now: loop.updatedAt,
  });
}

/** What comes to light after the checks: a gate or a person says no, and the rules of done have decided. */
function isAfterthought({ type }: LoopEvent): boolean {
  return type === 'gate.judged' || type === 'approval.refused' || type === 'decision.made';
}

/** Of an attempt that a person sent back, or whose checks passed without completing the loop, the reason is known only now. */
async function correctAttempt(tx: StoreTx, loop: Loop): Promise<void> {
  const last = loop.iterations.at(-1);
  if (last === undefined || last.outcome === null) return;
  if (last.report?.overall.passed !== true && last.refusal === undefined) return;
  if (last.outcome === 'done' || last.outcome === 'interrupted') return;
  const { number, status, outcome, durationMs } = last;
  const capture = captureIteration(loop, { number, status, outcome, durationMs: durationMs ?? 0 });
  if (capture === null) return;
  const { enabled, 'stuck-after': stuckAfter } = loop.settings.memory;
  const { consecutiveFailures } = loop;
  const metrics = (await tx.attempts.metrics(loop.taskId)) ?? noMetrics;
  await tx.attempts.record({
    ...capture.attempt,
    report: enabled ? capture.report : null,
    metrics: { ...metrics, consecutiveFailures, stuck: consecutiveFailures >= stuckAfter },
    now: loop.updatedAt,
  });
}

async function addLearnings(
  engine: Pick<Engine, 'ids'>,
  tx: StoreTx,
  loop: Loop,
  iteration: Iteration['number'],
  { learnings }: Capture,
): Promise<void> {
  if (learnings.length === 0) return;
  const scope = await scopeOf(tx, loop.taskId);
  for (const learning of learnings) {
    if ((await tx.learnings.findSame(learning.category, learning.content)) !== null) continue;
    await tx.learnings.add({
      ...learning,
      id: await freeId(engine, tx),
      taskId: loop.taskId,
      loopId: loop.id,
      iteration,
      origin: 'agent',
      scope,
      createdAt: loop.updatedAt,
    });
  }
}

/** A person's guidance that led to a pass becomes a candidate, once. */
async function offerGuidance(
  engine: Pick<Engine, 'ids' | 'clean'>,
  tx: StoreTx,
  loop: Loop,
  number: number,
): Promise<void> {
  const iteration = loop.iterations.find((each) => each.number === number);
  if (iteration?.report?.overall.passed !== true) return;
  const task = await tx.tasks.get(loop.taskId);
  const category = 'guidance';
  for (const text of offeredGuidance(task?.guidance ?? [], iteration)) {
    const content = engine.clean(text);
    const known = await tx.learnings.list({ taskId: loop.taskId, category });
    if (known.some((learning) => learning.content === content)) continue;
    await tx.learnings.add({
      id: await freeId(engine, tx),
      category,
      content,
      tags: [],
      paths: namedPaths(content),
      status: 'candidate',
      taskId: loop.taskId,
      loopId: loop.id,
      iteration: number,
      origin: 'person',
      scope: await scopeOf(tx, loop.taskId),
      createdAt: loop.updatedAt,
    });
  }
}

/** Whoever changed more says little about each file. */
export const maxStalePaths = 50;

/** What names a file that this loop changed for good may no longer hold. */
async function markStale(tx: StoreTx, loop: Loop): Promise<void> {
  const paths = filesTouched(loop);
  if (paths.length <= maxStalePaths) await tx.learnings.markStale(paths, loop.id, loop.updatedAt);
}
