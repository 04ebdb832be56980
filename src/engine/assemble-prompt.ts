import { sessionNote } from '../core/loop/agent-session.ts';
import type { ProjectKnowledge } from '../core/memory/knowledge.ts';
import { memoryVariants } from '../core/memory/render-memory.ts';
import { renderMap } from '../core/prompt/codebase-map.ts';
import { defaultTemplate } from '../core/prompt/default-template.ts';
import { withPromptDefaults } from '../core/prompt/prompt-defaults.ts';
import { promptContext } from '../core/prompt/context.ts';
import { fitTexts, type InputFile } from '../core/prompt/oversized.ts';
import type { Share } from '../core/prompt/shares.ts';
import { renderPrompt, type RenderedPrompt } from '../core/prompt/render.ts';
import { fitsSystemPrompt, systemPrompt } from '../core/prompt/system-prompt.ts';
import type { Templates } from '../core/prompt/templates.ts';
import { createProgressStrategy } from '../core/progress/registry.ts';
import type { PromptRecord } from '../core/loop/event.ts';
import { passTitle, type PassState } from '../core/loop/passes.ts';
import type { Settings } from '../core/config/schema.ts';
import type { ProgressEntry } from '../core/progress/entry.ts';
import { acceptanceCriteria } from '../core/task/acceptance.ts';
import type { Task } from '../core/task/task.ts';
import type { StoreTx } from '../ports/store.ts';
import type { WorkspaceText } from '../ports/workspace.ts';
import type { Engine } from './engine.ts';
import type { LoadedMemory } from './load-memory.ts';

/** What surrounds a task in its prompt, from the store. */
export type TaskContext = {
  readonly task: Task;
  readonly parent: Task | null;
  readonly prerequisites: readonly Task[];
};

export type PromptParts = TaskContext & {
  readonly settings: Settings;
  readonly prompt: PromptRecord;
  readonly iteration: number;
  /** The review pass of the iteration; null: the loop type has none. */
  readonly pass: PassState | null;
  readonly workingDirectory: string;
  readonly branch: string | null;
  readonly workspace: WorkspaceText;
  readonly progress: readonly ProgressEntry[];
  readonly feedback: string;
  /** All that wait to be told. */
  readonly shared: readonly Share[];
  /** The agent has a channel for a system prompt. */
  readonly hasSystemPrompt: boolean;
  /** Null: memory is switched off. */
  readonly memory: LoadedMemory | null;
  /** What a full session left to this one; empty: nothing. */
  readonly handoff: string;
  /** How full the agent's session is that goes on with this prompt; null: a fresh one starts. */
  readonly resumedPercent: number | null;
  /** Files that match the task, and the codebase map. */
  readonly knowledge: ProjectKnowledge;
};

/** A prompt, with the items of memory that are in it and those left out on purpose. */
export type AssembledPrompt = RenderedPrompt & {
  /** Sent beside the prompt; null: it ends the prompt. */
  readonly systemPrompt: string | null;
  readonly injected: readonly string[];
  readonly withheld: readonly string[];
  /** Texts that are too long for it. */
  readonly files: readonly InputFile[];
};

export async function loadTaskContext(tx: StoreTx, taskId: string): Promise<TaskContext> {
  const task = await tx.tasks.resolve(taskId);
  const parent = task.parentId === null ? null : await tx.tasks.get(task.parentId);
  const dependencies = await tx.tasks.dependenciesOf(task.id);
  return { task, parent, prerequisites: dependencies.filter((each) => each.status === 'done') };
}

/** What renders the prompts of a loop. */
export function templatesOf(
  engine: Pick<Engine, 'templatesFor'>,
  prompt: PromptRecord,
): Promise<Templates> {
  return engine.templatesFor(prompt.template ?? defaultTemplate);
}

const workspaceVariables = ['git-status', 'git-diff', 'git-log'];

/** Whether a template prints anything that git must be asked for first. */
export function printsWorkspaceText(templates: Templates, prompt: PromptRecord): boolean {
  if (prompt.template === null) return false;
  const { source, partials = {} } = prompt;
  const printed = templates.printedVariables(prompt.template, { source, partials });
  return workspaceVariables.some((name) => printed.has(name));
}

export const noWorkspaceText: WorkspaceText = { status: '', diff: '', log: '' };

/**
 * The prompt of an iteration, and of `prompt render`: the only place one is made. Nothing of an earlier iteration
 * is in it but files, git, and the blocks that are passed in here.
 */
export function assemblePrompt(templates: Templates, parts: PromptParts): AssembledPrompt {
  const { settings, task, prompt } = parts;
  const { strategy, 'max-entries': maxEntries, 'max-chars': maxChars } = settings.progress;
  const progress = createProgressStrategy({ name: strategy, maxEntries, maxChars }, parts.progress);
  const { files, map, warnings } = parts.knowledge;
  const variants =
    parts.memory === null ? [] : memoryVariants({ ...parts.memory.context, knowledge: files });
  const texts = fitTexts(
    {
      inputs: prompt.inputs,
      guidance: task.guidance.map(({ time, text }) => ({ timeMs: time, text })),
      shared: parts.shared,
    },
    {
      input: settings.prompt['input-chars'],
      guidance: settings.prompt['guidance-chars'],
      shared: settings.prompt['shared-chars'],
    },
    parts.iteration,
  );
  const known = promptContext({
    task: {
      ...task,
      acceptanceCriteria: acceptanceCriteria(task.description).map(({ text, checked }) => ({
        text,
        done: checked,
      })),
    },
    parent: parts.parent,
    prerequisites: parts.prerequisites,
    specPaths: settings.prompt['spec-paths'],
    iteration: parts.iteration,
    pass:
      parts.pass === null ? null : { title: passTitle(parts.pass), focus: parts.pass.pass.focus },
    maxIterations: settings.limits['max-iterations'],
    workingDirectory: parts.workingDirectory,
    branch: parts.branch,
    workspace: parts.workspace,
    memory: variants.map(({ text }) => text),
    codebaseMap: map === null ? '' : renderMap(map, settings.memory['map-chars']),
    handoff: parts.handoff,
    maxBlockChars: settings.memory['injected-chars'],
    progress: progress.variants(),
    feedback: parts.feedback,
    shared: texts.shared,
    sharedElsewhere: texts.sharedElsewhere,
    guidance: texts.guidance,
    inputs: texts.inputs,
  });
  const context = withPromptDefaults(prompt, known);
  const rules = [prompt.systemPrompt, systemPrompt({ taskId: task.id })]
    .filter((part) => part !== null)
    .join('\n\n');
  const isApart = parts.hasSystemPrompt && fitsSystemPrompt(rules);
  const rendered = renderPrompt({
    template: prompt.template ?? defaultTemplate,
    context,
    templates,
    source: prompt.source,
    partials: prompt.partials ?? {},
    ...(isApart ? {} : { ending: rules }),
  });
  const shown = variants.find(({ text }) => text === known['memory']);
  return {
    ...rendered,
    text:
      parts.resumedPercent === null
        ? rendered.text
        : `${sessionNote(parts.resumedPercent, settings)}\n\n${rendered.text}`,
    systemPrompt: isApart ? rules : null,
    // Once is enough: the files are looked at again for every prompt.
    warnings: parts.iteration === 1 ? [...rendered.warnings, ...warnings] : rendered.warnings,
    injected: shown?.injected ?? [],
    withheld: parts.memory?.withheld ?? [],
    files: texts.files,
  };
}
