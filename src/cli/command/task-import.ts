import { readTaskFile } from '../../adapters/files/task-files.ts';
import { isLoopwrightError, LoopwrightError } from '../../core/error.ts';
import type { ImportPlan, TaskFormat } from '../../core/task/import-plan.ts';
import {
  planImport,
  type ImportCounts,
  type ImportOperation,
} from '../../core/task/plan-import.ts';
import type { Task } from '../../core/task/task.ts';
import { plainText } from '../../core/text/terminal.ts';
import { importTasks } from '../../engine/import-tasks.ts';
import type { Command, CommandInput } from '../command.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { isGiven, option, requiredArgument, wantsJson } from '../input.ts';
import { createPaint, type Paint } from '../render/paint.ts';
import { readTextFile } from './task-options.ts';

const formats: readonly TaskFormat[] = ['markdown', 'json', 'yaml', 'prd', 'beads'];

export const taskImport: Command = {
  path: ['task', 'import'],
  summary: 'Read tasks from a Markdown checklist, JSON, YAML, prd.json or beads.',
  details: [
    'In Markdown every checkbox is a task: nesting makes parts, `(after: other-title)` a dependency, `[x]` a finished task, and indented text below is the description.',
    'All or nothing. Importing the same file again changes only what differs: a task is recognised by its title and those above it, and work that is done stays done.',
  ].join('\n\n'),
  args: [
    {
      name: 'FILE',
      summary: 'The file, or `-` for standard input.',
      required: true,
      completes: 'files',
    },
  ],
  options: [
    {
      name: 'format',
      value: 'FORMAT',
      summary: 'How to read it; found out from name and content when left out.',
      choices: formats,
    },
    { name: 'dry-run', summary: 'Show what would change; change nothing.' },
  ],
  examples: [
    { line: 'loopwright task import plan.md', does: 'Adds the tasks of a checklist.' },
    { line: 'loopwright task import plan.md --dry-run', does: 'Shows what that would change.' },
    {
      line: "printf -- '- [ ] Fix the build\\n' | loopwright task import -",
      does: 'Reads from standard input.',
    },
  ],
  run: runTaskImport,
};

async function runTaskImport(input: CommandInput, context: CliContext): Promise<number> {
  const file = requiredArgument(input, 'FILE');
  try {
    return await importFile(file, input, context);
  } catch (error) {
    if (file === '-' || !isLoopwrightError(error) || error.code !== 'task.import') throw error;
    throw new LoopwrightError(error.code, `${file}, ${error.message}`, {
      ...(error.hint === null ? {} : { hint: error.hint }),
      details: { ...error.details, file },
      cause: error,
    });
  }
}

async function importFile(file: string, input: CommandInput, context: CliContext): Promise<number> {
  const format = formats.find((name) => name === option(input, 'format'));
  const plan = readTaskFile(file === '-' ? null : file, await readTextFile(file, context), format);
  await using opened = await context.open();
  const { store, ids, clock } = opened.engine;
  const isDry = isGiven(input, 'dry-run');
  if (isDry) {
    const stored = await store.read(async (tx) => ({
      tasks: await tx.tasks.list({}),
      edges: await tx.tasks.edges(),
    }));
    const { counts, operations } = planImport(stored, plan);
    if (!wantsJson(input)) context.out.write(renderOperations(operations, stored.tasks, plan));
    return report(counts, plan, isDry, input, context);
  }
  const counts = await store.write((tx) => importTasks(tx.tasks, plan, ids, clock.now()));
  return report(counts, plan, isDry, input, context);
}

function report(
  counts: ImportCounts,
  plan: ImportPlan,
  isDry: boolean,
  input: CommandInput,
  context: CliContext,
): number {
  if (wantsJson(input)) {
    context.out.write(`${JSON.stringify({ ...counts, format: plan.format, dryRun: isDry })}\n`);
    return exitCodes.ok;
  }
  context.out.write(renderCounts(counts, isDry, createPaint(context.out.hasColour)));
  return exitCodes.ok;
}

function renderCounts(
  { added, updated, unchanged }: ImportCounts,
  isDry: boolean,
  paint: Paint,
): string {
  const text = `${added} added, ${updated} updated, ${unchanged} unchanged`;
  if (isDry) return `Would be: ${text}. Nothing was changed.\n`;
  const next =
    added > 0 ? `${paint('dim', 'next:')}  loopwright task tree, then loopwright run\n` : '';
  return `${paint('green', '✓')} ${text}\n${next}`;
}

const maxShown = 200;

function renderOperations(
  operations: readonly ImportOperation[],
  tasks: readonly Task[],
  plan: ImportPlan,
): string {
  const titles = new Map([
    ...tasks.map(({ id, title }): [string, string] => [id, title]),
    ...plan.tasks.map(({ key, title }): [string, string] => [key, title]),
  ]);
  const lines = operations.map((operation) => {
    switch (operation.type) {
      case 'add':
        return `+ ${operation.title}`;
      case 'edit':
        return `~ ${titles.get(operation.id) ?? operation.id}: ${Object.keys(operation.fields).join(', ')}`;
      case 'depend':
        return `~ ${titles.get(idOf(operation.task)) ?? ''}: dependencies`;
      case 'finish':
        return `✓ ${titles.get(idOf(operation.task)) ?? ''}: done`;
    }
  });
  const more = lines.length > maxShown ? [`and ${lines.length - maxShown} more`] : [];
  return [...lines.slice(0, maxShown), ...more].map((line) => `${plainText(line)}\n`).join('');
}

function idOf(ref: Extract<ImportOperation, { type: 'finish' }>['task']): string {
  return ref.kind === 'stored' ? ref.id : ref.key;
}
