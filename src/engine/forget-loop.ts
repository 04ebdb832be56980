import type { Learning } from '../core/memory/learning.ts';
import { statusFromVotes } from '../core/memory/votes.ts';
import type { StoreTx } from '../ports/store.ts';
import { summaryOf } from './settle-task.ts';

export type Forgotten = {
  readonly learnings: readonly string[];
  readonly reports: number;
  /** Votes that were taken back. */
  readonly votes: number;
  /** Whether its task told later ones what the loop said it did. */
  readonly summary: boolean;
  /** Whether its task counted for the models of similar ones through this loop. */
  readonly estimate: boolean;
};

export type ForgetContext = { readonly demoteAfter: number; readonly now: number };

/**
 * Takes back what a loop taught: its learnings, what was merged from them, the votes its checks cast on others, its failure
 * reports, its summary, and what similar tasks take from it. What was measured (outcomes, cost) stays. One transaction.
 */
export async function forgetLoop(
  tx: StoreTx,
  loopId: string,
  { demoteAfter, now }: ForgetContext,
): Promise<Forgotten> {
  const votes = await takeBackVotes(tx, loopId, demoteAfter);
  const taught = await tx.learnings.list({ loopId });
  const merged = new Set(taught.flatMap(({ supersededBy }) => supersededBy ?? []));
  for (const id of merged) await undoMerge(tx, id);
  for (const { id } of taught) await tx.learnings.delete(id);
  const reports = await tx.attempts.forgetReports(loopId);
  const summary = await forgetSummary(tx, loopId, now);
  const estimate = await forgetEstimate(tx, loopId);
  return { learnings: taught.map(({ id }) => id), reports, votes, summary, estimate };
}

/** Only what this loop said: the task may have been done again since, by another loop or by a person. */
async function forgetSummary(tx: StoreTx, loopId: string, now: number): Promise<boolean> {
  const loop = await tx.loops.get(loopId);
  const taskId = loop?.taskId ?? (await tx.attempts.taskOf(loopId));
  const task = taskId === null ? null : await tx.tasks.get(taskId);
  if (task === null || task.summary === null) return false;
  const isItsOwn =
    loop === null
      ? (await tx.attempts.completions(task.id))[0]?.loopId === loopId
      : task.summary === summaryOf(loop);
  if (isItsOwn) await tx.tasks.clearSummary(task.id, now);
  return isItsOwn;
}

/** Difficulty and model of the task become what its other loops say. */
async function forgetEstimate(tx: StoreTx, loopId: string): Promise<boolean> {
  const taskId = (await tx.attempts.taskOf(loopId)) ?? (await tx.loops.get(loopId))?.taskId ?? null;
  const metrics = taskId === null ? null : await tx.attempts.metrics(taskId);
  if (taskId === null || metrics === null) return false;
  const completions = await tx.attempts.completions(taskId);
  const others = completions.filter((each) => each.loopId !== loopId);
  const difficulty = await difficultyWithout(tx, taskId, loopId);
  const suggestedModel = others[0]?.model ?? null;
  if (difficulty === metrics.difficulty && suggestedModel === metrics.suggestedModel) return false;
  await tx.attempts.setEstimate(taskId, { difficulty, suggestedModel });
  return true;
}

/** The newest estimate of the task's other loops. */
async function difficultyWithout(
  tx: StoreTx,
  taskId: string,
  loopId: string,
): Promise<string | null> {
  for (const { id } of await tx.loops.list({ taskId })) {
    const loop = id === loopId ? null : await tx.loops.get(id);
    const notes = loop?.iterations.map(({ agent }) => agent?.notes?.difficulty ?? null) ?? [];
    const estimate = notes.findLast((each) => each !== null);
    if (estimate !== undefined) return estimate;
  }
  return null;
}

async function takeBackVotes(tx: StoreTx, loopId: string, demoteAfter: number): Promise<number> {
  let count = 0;
  for (const { learningId, vote, withheld } of await tx.learnings.injected({ loopId })) {
    const learning = await tx.learnings.get(learningId);
    if (learning === null || withheld || vote === null || vote === 'none') continue;
    // Its own are about to go.
    if (learning.loopId === loopId) continue;
    const votes = {
      helpful: Math.max(0, learning.helpful - (vote === 'helpful' ? 1 : 0)),
      harmful: Math.max(0, learning.harmful - (vote === 'harmful' ? 1 : 0)),
    };
    const status = statusFromVotes({ ...learning, ...votes }, demoteAfter);
    await tx.learnings.edit(learningId, { ...votes, status });
    count++;
  }
  await tx.learnings.forgetInjected(loopId);
  return count;
}

/** The originals come back as they were; what stood for them goes. */
async function undoMerge(tx: StoreTx, id: string): Promise<void> {
  const originals: readonly Learning[] = await tx.learnings.list({ supersededBy: id });
  for (const original of originals) {
    await tx.learnings.edit(original.id, { status: 'active', prunedAt: null, supersededBy: null });
  }
  await tx.learnings.delete(id);
}
