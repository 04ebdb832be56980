import type { Settings } from '../core/config/schema.ts';
import { countedIterations, type Loop } from '../core/loop/loop.ts';
import type { Opened } from '../daemon/compose.ts';
import { loadTaskContext, type TaskContext } from '../engine/assemble-prompt.ts';
import { findMeantTask, unfinishedLoop } from '../engine/text-task.ts';
import type { CommandInput } from './command.ts';
import type { CliContext } from './context.ts';
import { exitCodes } from './exit-code.ts';
import { isGiven, wantsJson } from './input.ts';
import { LoopwrightError } from '../core/error.ts';
import { createPaint } from './render/paint.ts';
import { describeChecks, describeGates, describeLimits } from './render/story-start.ts';
import {
  draftContext,
  previewFirstPrompt,
  previewNextPrompt,
  shownPrompt,
  type PromptPreview,
} from './render-prompt.ts';
import { settingsForResume } from './resume-settings.ts';
import type { RunTarget } from './run-target.ts';
import { flagValues } from './setting-options.ts';

/** The id a new task would get is not known before it is stored. */
const draftId = 't-00000000';

type Plan = {
  readonly context: TaskContext;
  readonly settings: Settings;
  readonly preview: PromptPreview;
  readonly loop: Loop | null;
};

/** Shows what `run` would send, to whom, judged by what and within which limits. Runs and stores nothing. */
export async function dryRun(
  input: CommandInput,
  context: CliContext,
  target: RunTarget,
): Promise<number> {
  await using opened = await context.open({
    flags: flagValues(input),
    isTransient: true,
    allowUnpriced: isGiven(input, 'allow-unpriced'),
  });
  const plan = await planOf(input, opened, target);
  const verify = plan.loop?.options.verify ?? !isGiven(input, 'no-verify');
  const facts = {
    task: plan.context.task.id === draftId ? null : plan.context.task.id,
    title: plan.context.task.title,
    loop: plan.loop?.id ?? null,
    agent: plan.settings.agent,
    model: plan.preview.model.model,
    modelReason: plan.preview.model.reason,
    strategy: plan.settings.strategy.name,
    checks: describeChecks(plan.settings, verify),
    gates: plan.settings.gates.length === 0 ? null : describeGates(plan.settings),
    limits: describeLimits(plan.settings),
    iteration: (plan.loop?.iterations.at(-1)?.number ?? 0) + 1,
    counted: plan.loop === null ? 0 : countedIterations(plan.loop),
  };
  if (wantsJson(input)) {
    const { text: prompt, systemPrompt, unknown, warnings } = plan.preview;
    const result = {
      dryRun: true,
      ...facts,
      prompt,
      systemPrompt,
      unknown,
      warnings,
      exitCode: exitCodes.ok,
    };
    context.out.write(`${JSON.stringify(result)}\n`);
    return exitCodes.ok;
  }
  context.out.write(renderFacts(facts, context));
  context.out.write(`\n${shownPrompt(plan.preview).trimEnd()}\n`);
  tellUnknown(context, plan.preview, facts.task === null);
  return exitCodes.ok;
}

export function tellUnknown(context: CliContext, preview: PromptPreview, isNewTask: boolean): void {
  const paint = createPaint(context.err.hasColour);
  const id = isNewTask ? [`the id of the task (shown as ${draftId})`] : [];
  for (const text of preview.warnings)
    context.err.write(`${paint('yellow', 'warning:')} ${text}\n`);
  for (const text of [...id, ...preview.unknown]) {
    context.err.write(`${paint('dim', 'not known yet:')} ${text}\n`);
  }
}

function renderFacts(
  facts: { readonly [name: string]: string | number | null },
  { out }: CliContext,
): string {
  const paint = createPaint(out.hasColour);
  const model =
    facts['model'] === null
      ? "the agent's own choice"
      : `${String(facts['model'])} (${String(facts['modelReason'])})`;
  const rows: readonly (readonly [string, string | number | null | undefined])[] = [
    [
      'task',
      facts['task'] === null
        ? `new: ${String(facts['title'])}`
        : `${String(facts['title'])} (${String(facts['task'])})`,
    ],
    [
      'loop',
      facts['loop'] === null
        ? 'new'
        : `${String(facts['loop'])}, iteration ${String(facts['iteration'])} is next`,
    ],
    ['agent', facts['agent']],
    ['model', model],
    ['strategy', facts['strategy']],
    ['checks', facts['checks']],
    ['gates', facts['gates'] ?? 'none'],
    ['limits', facts['limits']],
  ];
  const lines = rows.map(
    ([name, value]) => `  ${paint('dim', name.padEnd(10))}${String(value ?? 'none')}`,
  );
  return `${paint('bold', 'dry run: nothing is run or stored')}\n${lines.join('\n')}\n`;
}

async function planOf(input: CommandInput, opened: Opened, target: RunTarget): Promise<Plan> {
  const { engine } = opened;
  const isFresh = isGiven(input, 'new');
  if (target.kind === 'text') {
    const known = isFresh ? null : await findMeantTask(engine, target.title);
    if (known !== null) return planForTask(input, opened, known.id, false);
    const context = draftContext(draftId, target.title, target.description, target.type);
    return planForNew(input, opened, context);
  }
  if (target.kind === 'task') return planForTask(input, opened, target.id, isFresh);
  const [next] = await engine.store.read((tx) => tx.tasks.ready(1));
  if (next !== undefined) return planForTask(input, opened, next.id, false);
  throw new LoopwrightError('run.nothing_to_do', 'there is nothing to do: no task is ready', {
    hint: 'say what to do: `loopwright run "what to do" --dry-run`',
  });
}

async function planForTask(
  input: CommandInput,
  opened: Opened,
  reference: string,
  isFresh: boolean,
): Promise<Plan> {
  const { engine } = opened;
  const context = await engine.store.read((tx) => loadTaskContext(tx, reference));
  const stored = isFresh ? null : await unfinishedLoop(engine, context.task.id);
  if (stored === null) return planForNew(input, opened, context);
  const changed = await settingsForResume(opened, stored, flagValues(input), false);
  const loop = { ...stored, ...changed };
  return { context, settings: loop.settings, loop, preview: await previewNextPrompt(opened, loop) };
}

async function planForNew(
  input: CommandInput,
  opened: Opened,
  context: TaskContext,
): Promise<Plan> {
  const inPlace = isGiven(input, 'in-place');
  const verify = !isGiven(input, 'no-verify');
  const { settings, prompt } = await opened.planFor(context.task, verify, inPlace);
  const { branch } = await opened.project.describe(AbortSignal.timeout(60_000));
  const preview = await previewFirstPrompt(opened, context, { settings, prompt, inPlace, branch });
  return { context, settings, preview, loop: null };
}
