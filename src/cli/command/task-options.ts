import { priorities, type Priority } from '../../core/task/task.ts';
import type { CommandInput, Option } from '../command.ts';
import type { CliContext } from '../context.ts';
import { option, usageError } from '../input.ts';
import { readInput } from '../read-input.ts';

/** The fields of a task that `task add` and `task edit` take. */
export const fieldOptions: readonly Option[] = [
  {
    name: 'description',
    short: 'd',
    value: 'TEXT',
    summary: 'What is to be done; checkboxes in it are acceptance criteria.',
  },
  {
    name: 'file',
    value: 'FILE',
    summary: 'Read the description from a file; `-` is standard input.',
    completes: 'files',
  },
  { name: 'parent', value: 'TASK', summary: 'The task this one is part of.', completes: 'tasks' },
  {
    name: 'after',
    value: 'TASK',
    summary: 'A task that must be done first.',
    repeatable: true,
    completes: 'tasks',
  },
  { name: 'priority', value: 'PRIORITY', summary: 'How urgent it is.', choices: priorities },
  { name: 'type', value: 'TYPE', summary: 'The loop type.' },
  { name: 'validate', value: 'CMD', summary: 'A validation command for this task alone.' },
  { name: 'max-retries', value: 'N', summary: 'Further loops after failed ones.' },
];

const maxTextBytes = 10 * 1024 * 1024;

/** The text of `--description` or `--file`; null when neither was given. */
export async function descriptionOption(
  input: CommandInput,
  context: CliContext,
): Promise<string | null> {
  const text = option(input, 'description');
  const file = option(input, 'file');
  if (text !== null && file !== null) {
    throw usageError(
      'give either --description or --file, not both',
      'see `loopwright task add --help`',
    );
  }
  return file === null ? text : readTextFile(file, context);
}

export function priorityOption(input: CommandInput): Priority | null {
  const value = option(input, 'priority');
  return priorities.find((priority) => priority === value) ?? null;
}

/** A file of the user's, or standard input for `-`. */
export function readTextFile(
  file: string,
  context: CliContext,
  maxBytes = maxTextBytes,
): Promise<string> {
  return readInput(file, context, { maxBytes });
}
