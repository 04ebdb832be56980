import type { Settings } from '../core/config/schema.ts';
import type { Loop } from '../core/loop/loop.ts';
import { selectModel, type ModelChoice } from '../core/model/select-model.ts';
import { similarTasks } from '../core/model/similar-tasks.ts';
import { agentTiers } from '../core/model/tier.ts';
import type { Task } from '../core/task/task.ts';
import type { StoreTx } from '../ports/store.ts';

/** Which iteration a model is chosen for. */
export type ModelPlan = {
  readonly task: Pick<Task, 'id' | 'title' | 'parentId'>;
  readonly agent: string;
  readonly settings: Settings;
  readonly iteration: number;
  readonly consecutiveFailures: number;
  readonly sessionId: string | null;
  /** The task's last iteration, in this loop or the one before. */
  readonly last: { readonly model: string | null; readonly hint: string | null } | null;
};

/** Finished tasks that are looked through for one like this. */
const comparedTasks = 200;

/** The model of an iteration, from what the store knows of this task, this session and tasks like it. */
export async function planModel(tx: StoreTx, plan: ModelPlan): Promise<ModelChoice> {
  const { settings, agent, task, sessionId } = plan;
  const tiers = agentTiers(agent, settings.models, settings.agents);
  const hasOwnTiers = Object.keys(settings.models[agent] ?? {}).length > 0;
  const isChosen = settings['model-strategy'].name !== 'auto' || hasOwnTiers;
  const hasTiers = isChosen && Object.keys(tiers).length > 0;
  return selectModel({
    strategy: settings['model-strategy'],
    tiers,
    hasOwnTiers,
    pinned: settings.agents[agent]?.model ?? null,
    iteration: plan.iteration,
    consecutiveFailures: plan.consecutiveFailures,
    run:
      sessionId === null || !hasTiers
        ? { total: 0, successes: 0 }
        : await tx.attempts.sessionRate(sessionId),
    hint: plan.last?.hint ?? null,
    lastModel: plan.last?.model ?? null,
    similar: hasTiers ? similarTasks(task, await tx.attempts.finished(comparedTasks)) : [],
  });
}

/** The plan for the iteration `number` of a loop. */
export async function modelPlan(tx: StoreTx, loop: Loop, number: number): Promise<ModelPlan> {
  const earlier = loop.iterations.findLast((iteration) => iteration.number < number);
  const task = await tx.tasks.get(loop.taskId);
  return {
    task: task ?? { id: loop.taskId, title: loop.title, parentId: null },
    agent: loop.agent,
    settings: loop.settings,
    iteration: number,
    consecutiveFailures: loop.consecutiveFailures,
    sessionId: loop.sessionId,
    last:
      earlier === undefined
        ? await lastOfTask(tx, loop.taskId, loop.id)
        : { model: earlier.model, hint: earlier.agent?.nextModel ?? null },
  };
}

/** The last iteration of the task's newest other loop. */
export async function lastOfTask(
  tx: StoreTx,
  taskId: string,
  besides: string | null,
): Promise<ModelPlan['last']> {
  const rows = await tx.loops.list({ taskId, limit: 2 });
  const row = rows.find(({ id }) => id !== besides);
  const loop = row === undefined ? null : await tx.loops.get(row.id);
  const iteration = loop?.iterations.at(-1);
  if (iteration === undefined) return null;
  return { model: iteration.model, hint: iteration.agent?.nextModel ?? null };
}
