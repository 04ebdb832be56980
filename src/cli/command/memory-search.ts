import { z } from 'zod';
import type { LearningQuery } from '../../ports/learning-index.ts';
import type { Store, StoreTx } from '../../ports/store.ts';
import type { Command, CommandInput } from '../command.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { argument, isGiven, numberOption, option, usageError, wantsJson } from '../input.ts';
import { createPaint } from '../render/paint.ts';
import { oneLine } from '../render/story-line.ts';
import { wrap } from '../render/wrap.ts';
import { readTextFile } from './task-options.ts';

export const memorySearch: Command = {
  path: ['memory', 'search'],
  summary: 'Find the learnings that are likely to help with a task.',
  details: [
    'Ranks as the prompt does, and like it says nothing when nothing is likely to help; `--all` shows the best matches all the same. Never withholds anything.',
    'With `--batch`, each line of the file is `{"id", "title", "description"}` and each line printed `{"id", "results": [ids]}`, in the same order.',
  ].join('\n\n'),
  args: [{ name: 'TEXT', summary: 'What the task is about.', required: false }],
  options: [
    {
      name: 'batch',
      value: 'FILE',
      summary: 'Search for each line of a file of JSON lines.',
      completes: 'files',
    },
    { name: 'limit', value: 'N', summary: 'At most this many; 5 unless given.' },
    { name: 'all', summary: 'Also show what is not likely to help.' },
  ],
  examples: [
    {
      line: 'loopwright memory search "fix the retry of the upload"',
      does: 'Shows what the next task could be told.',
    },
    {
      line: 'loopwright memory search --batch tasks.jsonl --json',
      does: 'Searches for many tasks at once, for programs.',
    },
  ],
  run: runMemorySearch,
};

const defaultLimit = 5;
const maxLimit = 50;

async function runMemorySearch(input: CommandInput, context: CliContext): Promise<number> {
  const batch = option(input, 'batch');
  const text = argument(input, 'TEXT');
  if ((batch === null) === (text === null)) {
    throw usageError('name a text or `--batch FILE`, one of them');
  }
  if (text !== null && text.trim() === '') throw usageError('the text to search for is empty');
  const limit = Math.min(maxLimit, numberOption(input, 'limit') ?? defaultLimit);
  const tasks = batch === null ? [] : readTasks(await readTextFile(batch, context));
  await using opened = await context.open({ onlyReads: true });
  const { store, clock } = opened.engine;
  const { memory } = opened.config.settings;
  const queryFor = (title: string, description: string): LearningQuery => ({
    title,
    description,
    limit,
    now: clock.now(),
    signature: null,
    scope: null,
    withUnlikely: isGiven(input, 'all'),
    halfLifeMs: memory['half-life'],
    maxOverlap: memory['duplicate-overlap'],
  });
  if (text !== null) {
    const found = await search(store, queryFor(text, ''));
    context.out.write(wantsJson(input) ? `${JSON.stringify(found)}\n` : render(found, context));
    return exitCodes.ok;
  }
  for (const { id, title, description } of tasks) {
    const found = await store.read((tx) => tx.learningIndex.search(queryFor(title, description)));
    const results = found.map((each) => each.id);
    context.out.write(`${JSON.stringify({ id, results })}\n`);
  }
  return exitCodes.ok;
}

type Found = {
  readonly id: string;
  readonly score: number;
  readonly category: string;
  readonly content: string;
  readonly tags: readonly string[];
  readonly why: string;
};

async function search(store: Store, query: LearningQuery): Promise<readonly Found[]> {
  return store.read(async (tx) => {
    const results = await tx.learningIndex.search(query);
    const found: Found[] = [];
    for (const result of results) found.push(...(await withContent(tx, result)));
    return found;
  });
}

async function withContent(
  tx: StoreTx,
  { id, score, why }: { readonly id: string; readonly score: number; readonly why: string },
): Promise<readonly Found[]> {
  const learning = await tx.learnings.get(id);
  if (learning === null) return [];
  const { category, content, tags } = learning;
  return [{ id, score, category, content, tags, why }];
}

const BatchTask = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string().nullish(),
});

function readTasks(
  text: string,
): readonly { readonly id: string; readonly title: string; readonly description: string }[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const { id, title, description } = readTask(line, index + 1);
    return [{ id, title, description: description ?? '' }];
  });
}

function readTask(line: string, number: number): z.infer<typeof BatchTask> {
  try {
    return BatchTask.parse(JSON.parse(line));
  } catch (cause) {
    const why = cause instanceof z.ZodError ? z.prettifyError(cause) : 'it is not JSON';
    throw usageError(`line ${number} of the batch is not a task`, why);
  }
}

function render(found: readonly Found[], { out }: CliContext): string {
  const paint = createPaint(out.hasColour);
  const width = out.isTerminal ? Math.min(out.columns, 100) : Infinity;
  if (found.length === 0) {
    return 'Nothing that is likely to help. `--all` shows the best matches all the same.\n';
  }
  return found
    .map(({ id, category, content, why }) => {
      const head = `${paint('bold', id)} ${paint('dim', `[${oneLine(category)}]`)}`;
      const text = wrap(oneLine(content, content.length), width, '  ', '  ');
      return `${head} ${paint('dim', oneLine(why))}\n${text}\n`;
    })
    .join('');
}
