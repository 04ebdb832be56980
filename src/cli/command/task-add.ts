import { isLoopwrightError } from '../../core/error.ts';
import type { NewTask, Task } from '../../core/task/task.ts';
import { plainText } from '../../core/text/terminal.ts';
import type { Engine } from '../../engine/engine.ts';
import type { StoreTx } from '../../ports/store.ts';
import type { Command, CommandInput } from '../command.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import {
  isGiven,
  numberOption,
  option,
  repeatedOption,
  requiredArgument,
  usageError,
  wantsJson,
} from '../input.ts';
import { createPaint } from '../render/paint.ts';
import { descriptionOption, fieldOptions, priorityOption } from './task-options.ts';
import { taskJson, whyWaiting } from './task-view.ts';

export const taskAdd: Command = {
  path: ['task', 'add'],
  summary: 'Write down a task.',
  details: 'It is worked on by `loopwright run` as soon as everything it comes after is done.',
  args: [
    { name: 'TITLE', summary: 'What should be true afterwards, in one line.', required: true },
  ],
  options: [
    ...fieldOptions,
    { name: 'draft', summary: 'Only note it down; it is not worked on yet.' },
  ],
  examples: [
    { line: 'loopwright task add "Parser accepts trailing commas"', does: 'Adds a task.' },
    {
      line: 'loopwright task add "Release notes" --after parser-accepts-trailing-commas --priority low',
      does: 'Adds a task that waits for the first one.',
    },
    {
      line: 'loopwright task add "Support TOML" --file toml.md --validate "npm test -- toml"',
      does: 'Takes the description from a file and has its own check.',
    },
  ],
  run: runTaskAdd,
};

async function runTaskAdd(input: CommandInput, context: CliContext): Promise<number> {
  const title = requiredArgument(input, 'TITLE');
  if (title.trim() === '') {
    throw usageError('a task needs a title', 'say what should be true afterwards, in one line');
  }
  const fields = await readFields(input, context);
  await using opened = await context.open();
  // An unknown loop type is refused before anything is stored.
  if (fields.type != null) opened.loopType(fields.type);
  const task = await addTask(opened.engine, { title, ...fields }, input);
  if (wantsJson(input)) {
    context.out.write(`${JSON.stringify(taskJson(task))}\n`);
    return exitCodes.ok;
  }
  const paint = createPaint(context.out.hasColour);
  const waits = whyWaiting(task);
  const note = task.status === 'draft' ? 'draft' : (waits ?? 'ready');
  context.out.write(
    `${paint('bold', task.id)}  ${plainText(task.title)}  ${paint('dim', `(${note})`)}\n`,
  );
  return exitCodes.ok;
}

async function readFields(
  input: CommandInput,
  context: CliContext,
): Promise<Omit<NewTask, 'title'>> {
  const description = await descriptionOption(input, context);
  const priority = priorityOption(input);
  const type = option(input, 'type');
  const validation = option(input, 'validate');
  const maxRetries = numberOption(input, 'max-retries');
  return {
    ...(description !== null && { description }),
    ...(priority !== null && { priority }),
    ...(type !== null && { type }),
    ...(validation !== null && { validation }),
    ...(maxRetries !== null && { maxRetries }),
    ...(isGiven(input, 'draft') && { status: 'draft' as const }),
  };
}

const idTries = 5;

async function addTask(engine: Engine, task: NewTask, input: CommandInput): Promise<Task> {
  for (let attempt = 1; ; attempt++) {
    const id = engine.ids.task();
    try {
      return await engine.store.write(async (tx) => {
        const links = await resolveLinks(tx, input);
        return tx.tasks.add(id, { ...task, ...links }, engine.clock.now());
      });
    } catch (error) {
      const isTaken = isLoopwrightError(error) && error.code === 'store.exists';
      if (!isTaken || attempt === idTries) throw error;
    }
  }
}

async function resolveLinks(
  tx: StoreTx,
  input: CommandInput,
): Promise<Pick<NewTask, 'parentId' | 'after'>> {
  const parent = option(input, 'parent');
  const after: string[] = [];
  for (const reference of repeatedOption(input, 'after')) {
    after.push((await tx.tasks.resolve(reference)).id);
  }
  return { after, parentId: parent === null ? null : (await tx.tasks.resolve(parent)).id };
}
