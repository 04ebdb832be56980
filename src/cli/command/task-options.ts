import { stat, readFile } from 'node:fs/promises';
import path from 'node:path';
import { LoopwrightError } from '../../core/error.ts';
import { priorities, type Priority } from '../../core/task/task.ts';
import type { CommandInput, Option } from '../command.ts';
import type { CliContext } from '../context.ts';
import { option, usageError } from '../input.ts';

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
export async function readTextFile(
  file: string,
  context: CliContext,
  maxBytes = maxTextBytes,
): Promise<string> {
  if (file === '-') return context.readStdin(maxBytes);
  const full = path.resolve(context.cwd, file);
  try {
    const found = await stat(full);
    if (!found.isFile())
      throw usageError(`${file} is not a file`, 'name a text file, or `-` for standard input');
    if (found.size > maxBytes) {
      const limit = Math.round(maxBytes / 1_000_000);
      throw usageError(`${file} is larger than ${limit} MB`, 'is this the right file?');
    }
    return await readFile(full, 'utf8');
  } catch (cause) {
    if (cause instanceof LoopwrightError) throw cause;
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    const reason = code === 'ENOENT' ? 'there is no such file' : code;
    throw new LoopwrightError('usage.unreadable_file', `cannot read ${file}: ${reason}`, {
      cause,
      hint: 'check the path; `-` reads standard input',
    });
  }
}
