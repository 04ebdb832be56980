import { applyLoopType } from '../../core/loop-type/apply.ts';
import type { Opened } from '../../daemon/compose.ts';
import { loadTaskContext } from '../../engine/assemble-prompt.ts';
import { unfinishedLoop } from '../../engine/text-task.ts';
import type { Command } from '../command.ts';
import { tellUnknown } from '../dry-run.ts';
import { exitCodes } from '../exit-code.ts';
import { requiredArgument, wantsJson } from '../input.ts';
import {
  previewFirstPrompt,
  previewNextPrompt,
  shownPrompt,
  type PromptPreview,
} from '../render-prompt.ts';

export const promptRender: Command = {
  path: ['prompt', 'render'],
  summary: 'Print the prompt the next iteration of a task would get.',
  details:
    'With the progress and feedback of the unfinished loop of the task if there is one, else the prompt of a first ' +
    'iteration. Agents that have a system prompt (claude, codex, pi, native) get the help for tags there, which is shown behind a line of its own. What cannot be known yet is said on stderr.',
  args: [
    {
      name: 'TASK',
      summary: 'A task id, its beginning, or the slug of its title.',
      required: true,
      completes: 'tasks',
    },
  ],
  examples: [{ line: 'loopwright prompt render t-1a2b | less', does: 'Reads the next prompt.' }],

  async run(input, context) {
    await using opened = await context.open();
    const { engine } = opened;
    const reference = requiredArgument(input, 'TASK');
    const task = await engine.store.read((tx) => tx.tasks.resolve(reference));
    const loop = await unfinishedLoop(engine, task.id);
    const preview =
      loop === null ? await firstPrompt(opened, task.id) : await previewNextPrompt(opened, loop);
    if (wantsJson(input)) {
      const { text: prompt, systemPrompt, unknown, warnings, model: choice, injected } = preview;
      const { model, reason: modelReason } = choice;
      const ids = { task: task.id, loop: loop?.id ?? null };
      const result = {
        ...ids,
        prompt,
        systemPrompt,
        model,
        modelReason,
        injected,
        unknown,
        warnings,
      };
      context.out.write(`${JSON.stringify(result)}\n`);
      return exitCodes.ok;
    }
    context.out.write(shownPrompt(preview));
    tellUnknown(context, preview, false);
    return exitCodes.ok;
  },
};

/** Needs no agent and no validation command: a prompt can be read before they are chosen. */
async function firstPrompt(opened: Opened, taskId: string): Promise<PromptPreview> {
  const context = await opened.engine.store.read((tx) => loadTaskContext(tx, taskId));
  const type = opened.loopType(context.task.type);
  const { settings, origins } = opened.config;
  const { branch } = await opened.project.describe(AbortSignal.timeout(60_000));
  return previewFirstPrompt(opened, context, {
    settings: applyLoopType(settings, type, origins),
    prompt: await opened.promptOf(type),
    inPlace: false,
    branch,
  });
}
