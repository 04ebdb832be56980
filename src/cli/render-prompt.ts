import { isLoopwrightError } from '../core/error.ts';
import { mergeLive } from '../core/config/frozen.ts';
import type { Settings } from '../core/config/schema.ts';
import { factsInMessages } from '../core/coordinate/facts-in-messages.ts';
import { cleanEvent } from '../core/loop/clean-event.ts';
import type { PromptRecord } from '../core/loop/event.ts';
import { evolve } from '../core/loop/evolve.ts';
import { planSession } from '../core/loop/agent-session.ts';
import { lastIteration, nextAttempt, openIteration, type Loop } from '../core/loop/loop.ts';
import { passState } from '../core/loop/passes.ts';
import { isResting } from '../core/loop/status.ts';
import type { ModelChoice } from '../core/model/select-model.ts';
import { defaultTemplate } from '../core/prompt/default-template.ts';
import type { Task } from '../core/task/task.ts';
import { worksInPlace } from '../core/loop/place.ts';
import type { Opened } from '../daemon/compose.ts';
import { describeLimits } from '../engine/action/build-prompt.ts';
import { messagesAtOnce } from '../engine/action/read-messages.ts';
import {
  assemblePrompt,
  loadTaskContext,
  templatesOf,
  type TaskContext,
} from '../engine/assemble-prompt.ts';
import type { Engine } from '../engine/engine.ts';
import { failuresSoFar } from '../engine/create-loop.ts';
import { knowledgeRevision, loadKnowledge } from '../engine/load-knowledge.ts';
import { loadMemory, memoryRequest } from '../engine/load-memory.ts';
import { wholeShares } from '../engine/whole-shares.ts';
import { lastOfTask, modelPlan, planModel } from '../engine/plan-model.ts';
import { workspaceSpec } from '../engine/workspace-spec.ts';
import type { StoreTx } from '../ports/store.ts';
import type { WorkspaceText } from '../ports/workspace.ts';

export type PromptPreview = {
  readonly text: string;
  /** Sent beside the prompt; null: it ends the prompt. */
  readonly systemPrompt: string | null;
  /** What cannot be known before the iteration, in words. */
  readonly unknown: readonly string[];
  readonly warnings: readonly string[];
  readonly model: ModelChoice;
  /** Items of memory in it, and learnings left out to measure their worth. */
  readonly injected: readonly string[];
  readonly withheld: readonly string[];
};

/** For what git is asked about a prompt. */
const describeMs = 120_000;

const noText: WorkspaceText = { status: '', diff: '', log: '' };

/** The prompt the next iteration of a loop would get, by the same code that will build it. */
export async function previewNextPrompt(opened: Opened, loop: Loop): Promise<PromptPreview> {
  const { engine } = opened;
  const settings = worksInPlace(loop)
    ? loop.settings
    : mergeLive(loop.settings, await engine.reloadSettings(loop.loopType, loop.flags));
  const git = await gitText(opened, loop);
  const number = (lastIteration(loop)?.number ?? 0) + 1;
  // Whoever goes on with a resting loop is another session.
  const own = { ...loop, settings, ...(isResting(loop.status) ? { sessionId: null } : {}) };
  const next = await engine.store.read((tx) => withUnread(tx, own, engine));
  const { context, memory, model, shared } = await engine.store.read((tx) =>
    nextMemory(tx, next, number, engine),
  );
  const knowledge = await loadKnowledge(
    engine,
    { task: context.task, settings, revision: knowledgeRevision(loop) },
    AbortSignal.timeout(describeMs),
  );
  const plan = planSession(next, model.model, engine.clock.now());
  const templates = await templatesOf(engine, loop.prompt);
  const { text, systemPrompt, warnings, injected, withheld } = assemblePrompt(templates, {
    ...context,
    settings,
    prompt: loop.prompt,
    iteration: number,
    pass: passState(loop),
    workingDirectory: loop.workspace.path,
    branch: loop.workspace.branch,
    workspace: git ?? noText,
    progress: next.progress,
    feedback: next.feedback,
    memory,
    knowledge,
    handoff: loop.handoff ?? '',
    resumedPercent: plan.kind === 'resume' ? plan.percent : null,
    shared,
    hasSystemPrompt: await hasSystemPrompt(opened, settings),
  });
  const unknown = [
    git === null ? 'git status, diff and log, since the loop is running' : null,
    openIteration(loop) === null
      ? null
      : `what iteration ${lastIteration(loop)?.number ?? 0}, which is under way, will leave behind`,
    loop.baseline === null ? baselineUnknown : null,
    plan.kind === 'reboot'
      ? 'the handoff document, which is asked for when the iteration starts'
      : null,
  ];
  const known = unknown.filter((each) => each !== null);
  return { text, systemPrompt, warnings, unknown: known, model, injected, withheld };
}

/** The loop as it is when it has read what waits for it, which it does before its next iteration. */
async function withUnread(tx: StoreTx, loop: Loop, { clean }: Engine): Promise<Loop> {
  const unread = await tx.messages.unread(loop.id, messagesAtOnce);
  const facts = factsInMessages(unread).map((event) => cleanEvent(event, clean));
  const recorded = { seq: loop.seq, time: loop.updatedAt, elapsedMs: 0 };
  return facts.reduce((read, event) => evolve(read, { ...recorded, event }) ?? read, loop);
}

/** What the next iteration would choose and remember. */
async function nextMemory(tx: StoreTx, loop: Loop, number: number, { clock, clean }: Engine) {
  const context = await loadTaskContext(tx, loop.taskId);
  const model = await planModel(tx, await modelPlan(tx, loop, number));
  const iteration = {
    number,
    attempt: nextAttempt(loop),
    model: model.model,
    modelReason: model.reason,
  };
  const memory = await loadMemory(tx, memoryRequest(loop, iteration, context.task, clock.now()));
  return { context, model, memory, shared: await wholeShares(tx, loop.shared ?? [], clean) };
}

/** A prompt can be read before there is an agent, and although the agent cannot be made: the run says why. */
async function hasSystemPrompt({ engine }: Opened, settings: Settings): Promise<boolean> {
  if (settings.agent === null) return false;
  try {
    return (await engine.resolveAgent(settings)).hasSystemPrompt === true;
  } catch (error) {
    if (isLoopwrightError(error)) return false;
    throw error;
  }
}

/** What is sent, as a person reads it. */
export function shownPrompt({ text, systemPrompt }: PromptPreview): string {
  if (systemPrompt === null) return text;
  return `${text.trimEnd()}\n\n----- system prompt, sent beside the prompt -----\n\n${systemPrompt.trimEnd()}\n`;
}

const baselineUnknown =
  'the feedback of the baseline, which is verified before the first iteration';

export type FirstPrompt = {
  readonly settings: Settings;
  readonly prompt: PromptRecord;
  readonly inPlace: boolean;
  readonly branch: string | null;
};

/** The prompt of the first iteration of a loop that does not exist yet. */
export async function previewFirstPrompt(
  opened: Opened,
  context: TaskContext,
  { settings, prompt, inPlace, branch }: FirstPrompt,
): Promise<PromptPreview> {
  const { engine, project } = opened;
  const ownPlace = !inPlace && project.kind === 'git';
  const { memory, model } = await engine.store.read((tx) =>
    firstMemory(tx, context, settings, engine.clock.now()),
  );
  const signal = AbortSignal.timeout(describeMs);
  const revision = inPlace ? (await project.checkedOut(signal)).head : null;
  const knowledge = await loadKnowledge(engine, { task: context.task, settings, revision }, signal);
  const templates = await templatesOf(engine, prompt);
  const { text, systemPrompt, warnings, injected, withheld } = assemblePrompt(templates, {
    ...context,
    settings,
    prompt,
    iteration: 1,
    pass: passState({ prompt, iterations: [] }),
    workingDirectory: ownPlace ? '(the worktree of the loop)' : project.root,
    branch: ownPlace ? '(the branch of the loop)' : branch,
    workspace: noText,
    progress: [],
    feedback: '',
    memory,
    knowledge,
    handoff: '',
    resumedPercent: null,
    shared: [],
    hasSystemPrompt: await hasSystemPrompt(opened, settings),
  });
  const unknown = [
    ownPlace && uses(prompt, 'branch', 'working-directory')
      ? 'branch and worktree, which are made when the loop starts'
      : null,
    uses(prompt, 'git-') ? 'git status, diff and log of the worktree' : null,
    (memory?.context.learnings ?? []).length === 0
      ? null
      : 'which learnings are withheld to measure their worth, since that goes by the id of the loop',
    baselineUnknown,
  ];
  const known = unknown.filter((each) => each !== null);
  return { text, systemPrompt, warnings, unknown: known, model, injected, withheld };
}

/** What a loop that does not exist yet would choose and remember. */
async function firstMemory(tx: StoreTx, { task }: TaskContext, settings: Settings, now: number) {
  const consecutiveFailures = await failuresSoFar(tx, task.id);
  const plan = { task, settings, iteration: 1, consecutiveFailures, sessionId: null };
  const last = await lastOfTask(tx, task.id, null);
  const model = await planModel(tx, { ...plan, agent: settings.agent ?? '', last });
  const memory = await loadMemory(tx, {
    ...plan,
    loopId: null,
    attempt: (await tx.loops.countAttempts(task.id)) + 1,
    model: model.model,
    modelReason: model.reason,
    signature: null,
    now,
  });
  return { memory, model };
}

/** The surroundings of a task that is not stored yet. */
export function draftContext(
  id: string,
  title: string,
  description: string,
  type: string | null,
): TaskContext {
  const task: Task = {
    id,
    title,
    description,
    parentId: null,
    priority: 'normal',
    type,
    validation: null,
    maxRetries: 0,
    retries: 0,
    status: 'draft',
    reason: null,
    guidance: [],
    summary: null,
    blockers: 0,
    children: 0,
    openChildren: 0,
    held: 0,
    readySince: null,
    createdAt: 0,
    updatedAt: 0,
  };
  return { task, parent: null, prerequisites: [] };
}

/** Opened only when the template asks for it and nobody else works there; null: not to be had. */
async function gitText({ engine, project }: Opened, loop: Loop): Promise<WorkspaceText | null> {
  if (!uses(loop.prompt, 'git-')) return noText;
  if (!isResting(loop.status)) return null;
  const signal = AbortSignal.timeout(describeMs);
  const { workspace } = await engine.project.openWorkspace(workspaceSpec(loop), signal);
  return project.kind === 'git' ? workspace.describe(describeLimits, signal) : noText;
}

function uses({ template }: PromptRecord, ...variables: readonly string[]): boolean {
  const text = template ?? defaultTemplate;
  return variables.some((variable) => text.includes(variable));
}
