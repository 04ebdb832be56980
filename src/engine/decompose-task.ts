import path from 'node:path';
import { effectiveIterationTimeout } from '../core/config/limits.ts';
import type { Settings } from '../core/config/schema.ts';
import { LoopwrightError } from '../core/error.ts';
import { decomposeId } from '../core/loop/throwaway.ts';
import { renderAttempts } from '../core/memory/render-attempts.ts';
import { agentTiers, nearestTier } from '../core/model/tier.ts';
import {
  assertRoom,
  decompositionPrompt,
  readProposal,
  type ProposedPart,
  type TreeRoom,
} from '../core/task/decomposition.ts';
import type { Task } from '../core/task/task.ts';
import type { Activity } from '../core/agent/outcome.ts';
import type { StoreTx } from '../ports/store.ts';
import { askAside } from './aside-agent.ts';
import { endLeftAsides } from './aside-record.ts';
import type { Engine } from './engine.ts';
import { withoutLimit } from './without-limit.ts';

const attemptsChars = 3000;
const attemptsShown = 5;
const fewestParts = 3;

/**
 * Asks the agent for the parts of a task. It works in a worktree of its own at the user's commit, which is removed
 * with all it did there. Nothing is stored.
 */
export async function proposeParts(
  engine: Engine,
  task: Task,
  settings: Settings,
  show: (activity: Activity) => void,
  signal: AbortSignal,
): Promise<readonly ProposedPart[]> {
  const { attempts, count } = await engine.store.read(async (tx) => {
    await refuseSplit(tx, task);
    assertRoom(await roomOf(tx, task), fewestParts);
    return {
      attempts: await tx.attempts.list(task.id, attemptsShown),
      count: await tx.attempts.count(task.id),
    };
  });
  const prompt = decompositionPrompt({
    title: task.title,
    description: task.description,
    attempts: renderAttempts(attempts, attemptsChars, count).text,
  });
  const finalText = await inThrowaway(engine, task, (cwd) =>
    askAgent(engine, { task, settings, prompt, cwd, show }, signal),
  );
  return readProposal(finalText);
}

/** Stores the parts under their task, all or none, and opens the task again if it had come to rest. */
export async function insertParts(
  engine: Engine,
  task: Task,
  parts: readonly ProposedPart[],
): Promise<readonly Task[]> {
  const now = engine.clock.now();
  return engine.store.write(async (tx) => {
    await refuseSplit(tx, task);
    assertRoom(await roomOf(tx, task), parts.length);
    const current = await tx.tasks.resolve(task.id);
    if (current.status === 'running') throw stillRunning(current);
    const added: Task[] = [];
    for (const { title, description, after } of parts) {
      const { priority, type } = task;
      const ids = after.flatMap((number) => added[number - 1]?.id ?? []);
      const part = { title, description, parentId: task.id, after: ids, priority, type };
      added.push(await tx.tasks.add(engine.ids.task(), part, now));
    }
    await tx.attempts.needPerson(task.id, null);
    const reopened = await tx.tasks.resolve(task.id);
    if (reopened.status !== 'pending' && reopened.status !== 'draft') {
      await tx.tasks.transition(task.id, 'pending', { now, reason: null });
    }
    return added;
  });
}

/** An agent that is asked again proposes the same parts again. */
async function refuseSplit(tx: StoreTx, task: Task): Promise<void> {
  const open = (await tx.tasks.childrenOf(task.id)).filter(
    ({ status }) => status !== 'done' && status !== 'cancelled',
  );
  if (open.length === 0) return;
  throw new LoopwrightError(
    'task.split',
    `task ${task.id} “${task.title}” has parts already: ${open.map(({ id }) => id).join(', ')}`,
    { hint: 'decompose one of them, add parts with `task add --parent`, or delete them first' },
  );
}

function stillRunning(task: Task): LoopwrightError {
  return new LoopwrightError('task.running', `task ${task.id} “${task.title}” is being worked on`, {
    hint: `stop it first: \`loopwright loop stop ${task.id}\``,
  });
}

async function roomOf(tx: StoreTx, task: Task): Promise<TreeRoom> {
  let top = task;
  let depth = 1;
  while (top.parentId !== null) {
    const parent = await tx.tasks.get(top.parentId);
    if (parent === null) break;
    top = parent;
    depth++;
  }
  return { depth, children: task.children, size: await treeSize(tx, top) };
}

async function treeSize(tx: StoreTx, task: Task): Promise<number> {
  let size = 1;
  for (const child of await tx.tasks.childrenOf(task.id)) size += await treeSize(tx, child);
  return size;
}

/** A worktree at the user's commit; in a folder without git, an empty folder. */
async function inThrowaway<T>(
  engine: Engine,
  task: Task,
  work: (cwd: string) => Promise<T>,
): Promise<T> {
  const { project, stateDir, artifacts } = engine;
  const loopId = decomposeId(task.id);
  const { head } = await project.describe(AbortSignal.timeout(60_000));
  if (project.kind === 'folder' || head === null) {
    return work(await artifacts.namedDir(loopId, 'folder'));
  }
  const folder = path.join(stateDir, 'worktrees', loopId);
  const branch = `loopwright/${loopId}`;
  const own = { loopId, mode: 'worktree', path: folder, branch, base: head } as const;
  const spec = { ...own, copy: [], link: [] };
  const discard = () =>
    withoutLimit(engine, `removing the worktree ${loopId}`, async (signal) => {
      await project.removeWorkspace(spec, signal);
      await project.deleteBranch(branch, signal);
    });
  // What a killed attempt left.
  await endLeftAsides(engine);
  await discard();
  try {
    const make = (signal: AbortSignal) => project.openWorkspace(spec, signal);
    await withoutLimit(engine, `making the worktree ${loopId}`, make);
    return await work(folder);
  } finally {
    await discard();
  }
}

type Question = {
  readonly task: Task;
  readonly settings: Settings;
  readonly prompt: string;
  readonly cwd: string;
  readonly show: (activity: Activity) => void;
};

async function askAgent(
  engine: Engine,
  { task, settings, prompt, cwd, show }: Question,
  signal: AbortSignal,
): Promise<string> {
  const name = decomposeId(task.id);
  const { outcome } = await askAside(
    engine,
    {
      loopId: name,
      taskId: task.id,
      iteration: 1,
      maxIterations: 1,
      settings,
      model: modelFor(settings),
      prompt,
      dir: await engine.artifacts.namedDir(name, 'agent'),
      cwd,
      maxTurns: settings.limits['max-turns-per-iteration'],
      limits: (kind) => ({
        timeoutMs: effectiveIterationTimeout(settings, kind),
        idleMs: settings.limits['idle-timeout'],
        graceMs: 5000,
      }),
      activity: show,
    },
    () => {},
    signal,
  );
  if (outcome.kind === 'done') return outcome.finalText;
  throw new LoopwrightError(
    'task.no_proposal',
    `the agent made no proposal (${outcome.kind}): ${outcome.evidence}`,
    { hint: 'see `loopwright agents check`, or write the parts yourself with `task add --parent`' },
  );
}

/** Splitting is planning: the largest model there is, unless one is configured. */
function modelFor(settings: Settings): string | null {
  const agent = settings.agent ?? '';
  const configured = settings.agents[agent]?.model ?? settings['model-strategy'].model ?? null;
  if (configured !== null) return configured;
  const tiers = agentTiers(agent, settings.models, settings.agents);
  const tier = nearestTier('large', tiers);
  return tier === null ? null : (tiers[tier] ?? null);
}
