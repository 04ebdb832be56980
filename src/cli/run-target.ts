import { splitFrontMatter } from '../adapters/template/prompt-file.ts';
import { titleOf } from '../core/task/slug.ts';
import { headChars } from '../core/text/code-points.ts';
import type { CommandInput } from './command.ts';
import type { CliContext } from './context.ts';
import { argument, isGiven, numberOption, option, usageError } from './input.ts';
import { readInput } from './read-input.ts';

/** What `run` was asked to run. */
export type RunTarget =
  | {
      readonly kind: 'text';
      readonly title: string;
      readonly description: string;
      readonly type: string | null;
    }
  | { readonly kind: 'task'; readonly id: string }
  | { readonly kind: 'ready'; readonly limit: number | null; readonly jobs: number };

const maxFileBytes = 1024 * 1024;
const maxTitleChars = 120;

/** Reads the words, the file or standard input. Nothing is stored yet. */
export async function readRunTarget(input: CommandInput, context: CliContext): Promise<RunTarget> {
  const words = argument(input, 'TEXT');
  const file = option(input, 'file');
  const limit = numberOption(input, 'limit');
  const jobs = numberOption(input, 'jobs');
  const type = option(input, 'type');
  const target = await targetOf(words, file, { limit, jobs: jobs ?? 1 }, type, context);
  if (limit === 0) throw usageError('--limit takes a number above 0');
  if (limit !== null && target.kind !== 'ready') {
    throw usageError(
      '--limit goes only with `loopwright run` alone',
      'leave it away: one task is one loop',
    );
  }
  if (jobs === 0) throw usageError('--jobs takes a number above 0');
  if (jobs !== null && target.kind !== 'ready') {
    throw usageError('--jobs goes only with `loopwright run` alone', 'one task is one loop');
  }
  if (jobs !== null && jobs > 1 && isGiven(input, 'in-place')) {
    throw usageError(
      '--jobs and --in-place exclude each other',
      'without --in-place every loop has its own worktree',
    );
  }
  if (type !== null && target.kind !== 'text') {
    throw usageError(
      '--type goes only with a new task',
      'a task keeps the loop type it was added with',
    );
  }
  if (isGiven(input, 'retry-failed') && target.kind !== 'ready') {
    throw usageError(
      '--retry-failed goes only with `loopwright run` alone',
      'leave it away: a failed task that is named gets another loop',
    );
  }
  if (isGiven(input, 'new') && target.kind === 'ready') {
    throw usageError('--new goes only with a task', 'say which: `loopwright run TASK --new`');
  }
  if (isGiven(input, 'allow-dirty') && !isGiven(input, 'in-place')) {
    throw usageError(
      '--allow-dirty goes only with --in-place',
      'a worktree of its own is never dirty',
    );
  }
  return target;
}

async function targetOf(
  words: string | null,
  file: string | null,
  ready: { readonly limit: number | null; readonly jobs: number },
  type: string | null,
  context: CliContext,
): Promise<RunTarget> {
  if (file !== null) {
    if (words === '-') throw usageError('give either --file or `-`, not both');
    const whole = await readInput(file, context, { maxBytes: maxFileBytes });
    const { title, text } = await withoutFrontMatter(whole);
    return textTarget(text, words ?? title, type, `the file ${file}`);
  }
  if (words === null) return { kind: 'ready', ...ready };
  if (words === '-') return textTarget(await context.readStdin(), null, type, 'standard input');
  if (/^t-[0-9a-f]{1,8}$/.test(words)) return { kind: 'task', id: words };
  return textTarget(words, null, type, 'the text');
}

/** Front matter is about the task, not part of it; of what it says only a title counts here. */
async function withoutFrontMatter(whole: string): Promise<{ title: string | null; text: string }> {
  const parts = splitFrontMatter(whole);
  if (parts === null || parts.matter === '') return { title: null, text: whole };
  const { parseYamlDocument } = await import('../adapters/files/parse-yaml.ts');
  const document = parseYamlDocument(parts.matter);
  const said: unknown = document.errors.length > 0 ? null : document.toJS();
  const title = typeof said === 'object' && said !== null && 'title' in said ? said.title : null;
  const isText = typeof title === 'string' && title.trim() !== '';
  return { title: isText ? titleOf(title) : null, text: parts.body };
}

/** The first line is the title; more than one line is the description too. */
function textTarget(
  text: string,
  title: string | null,
  type: string | null,
  source: string,
): RunTarget {
  const whole = text.trim();
  const firstLine = whole.split('\n').find((line) => /[^#\s]/.test(line)) ?? '';
  const found = title ?? firstLine.replace(/^#+\s*/, '').trim();
  if (found === '') throw usageError(`${source} is empty: there is nothing to do`);
  const shown = headChars(found, maxTitleChars);
  const isAll = shown === whole;
  return { kind: 'text', title: shown, description: isAll ? '' : whole, type };
}
