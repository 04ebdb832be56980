import { LoopwrightError } from '../../core/error.ts';
import type { NewTask, Task } from '../../core/task/task.ts';
import { plainText } from '../../core/text/terminal.ts';
import type { Opened } from '../../daemon/compose.ts';
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
import { taskArgument, taskJson } from './task-view.ts';

export const taskEdit: Command = {
  path: ['task', 'edit'],
  summary: 'Change the fields of a task.',
  details:
    'Only what is given changes. --after replaces all dependencies (`task deps` changes single ones). The word `none` clears --parent, --type, --validate and --after.',
  args: [taskArgument],
  options: [
    { name: 'title', value: 'TITLE', summary: 'Another title.' },
    ...fieldOptions,
    { name: 'draft', summary: 'Take it back: it is not worked on until --ready.' },
    { name: 'ready', summary: 'A draft may be worked on now.' },
  ],
  examples: [
    { line: 'loopwright task edit t-1a2b3c4d --priority critical', does: 'Moves it to the front.' },
    { line: 'loopwright task edit support-toml --file toml.md', does: 'Replaces its description.' },
    {
      line: 'loopwright task edit support-toml --parent none',
      does: 'Takes it out of its parent.',
    },
  ],
  run: runTaskEdit,
};

async function runTaskEdit(input: CommandInput, context: CliContext): Promise<number> {
  const fields = await readChange(input, context);
  await using opened = await context.open();
  if (fields.type != null) opened.loopType(fields.type);
  const { before, after } = await change(opened, fields, input);
  if (wantsJson(input)) {
    context.out.write(`${JSON.stringify(taskJson(after))}\n`);
    return exitCodes.ok;
  }
  const changed = changedFields(before, after, input);
  const paint = createPaint(context.out.hasColour);
  const note = changed.length === 0 ? 'nothing to change' : `changed ${changed.join(', ')}`;
  context.out.write(
    `${paint('bold', after.id)}  ${plainText(after.title)}  ${paint('dim', `(${note})`)}\n`,
  );
  return exitCodes.ok;
}

type Change = Omit<Partial<NewTask>, 'after' | 'parentId'>;

async function readChange(input: CommandInput, context: CliContext): Promise<Change> {
  if (Object.keys(input.options).every((name) => name === 'json')) {
    throw usageError(
      'nothing to change was given',
      'see `loopwright task edit --help` for the fields',
    );
  }
  if (isGiven(input, 'draft') && isGiven(input, 'ready')) {
    throw usageError('--draft and --ready exclude each other', 'give one of them');
  }
  const title = option(input, 'title');
  const description = await descriptionOption(input, context);
  const priority = priorityOption(input);
  const type = option(input, 'type');
  const validation = option(input, 'validate');
  const maxRetries = numberOption(input, 'max-retries');
  return {
    ...(title !== null && { title }),
    ...(description !== null && { description }),
    ...(priority !== null && { priority }),
    ...(type !== null && { type: unlessNone(type) }),
    ...(validation !== null && { validation: unlessNone(validation) }),
    ...(maxRetries !== null && { maxRetries }),
    ...(isGiven(input, 'draft') && { status: 'draft' as const }),
    ...(isGiven(input, 'ready') && { status: 'pending' as const }),
  };
}

function unlessNone(value: string): string | null {
  return value === 'none' ? null : value;
}

async function change(
  { engine }: Opened,
  fields: Change,
  input: CommandInput,
): Promise<{ readonly before: Task; readonly after: Task }> {
  return engine.store.write(async (tx) => {
    const before = await tx.tasks.resolve(requiredArgument(input, 'TASK'));
    if (fields.status === 'pending' && before.status !== 'draft' && before.status !== 'pending') {
      throw new LoopwrightError(
        'task.not_draft',
        `task ${before.id} “${before.title}” is ${before.status}, not a draft`,
        {
          hint: `open it again with \`loopwright task reset ${before.id}\``,
        },
      );
    }
    const links = await resolveLinks(tx, input);
    return {
      before,
      after: await tx.tasks.edit(before.id, { ...fields, ...links }, engine.clock.now()),
    };
  });
}

async function resolveLinks(
  tx: StoreTx,
  input: CommandInput,
): Promise<Pick<Partial<NewTask>, 'parentId' | 'after'>> {
  const parent = option(input, 'parent');
  const references = repeatedOption(input, 'after');
  const after: string[] = [];
  for (const reference of references) {
    if (reference !== 'none') after.push((await tx.tasks.resolve(reference)).id);
  }
  return {
    ...(references.length > 0 && { after }),
    ...(parent !== null && {
      parentId: parent === 'none' ? null : (await tx.tasks.resolve(parent)).id,
    }),
  };
}

function changedFields(before: Task, after: Task, input: CommandInput): readonly string[] {
  const fields = [
    ['title', 'title'],
    ['description', 'description'],
    ['priority', 'priority'],
    ['type', 'type'],
    ['validation', 'validation'],
    ['maxRetries', 'max-retries'],
    ['parentId', 'parent'],
    ['status', 'status'],
  ] as const;
  const names = fields.filter(([key]) => before[key] !== after[key]).map(([, name]) => name);
  return repeatedOption(input, 'after').length > 0 ? [...names, 'dependencies'] : names;
}
