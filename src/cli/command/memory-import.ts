import { readLearnings } from '../../core/memory/import-learnings.ts';
import { maxLearningChars } from '../../core/memory/notes.ts';
import { importMemory, type ImportResult } from '../../engine/import-memory.ts';
import { redactText } from '../../protocol/redact-text.ts';
import type { Command, CommandInput } from '../command.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { isGiven, requiredArgument, wantsJson } from '../input.ts';
import { plural } from '../render/format.ts';
import { createPaint } from '../render/paint.ts';
import { StatusLine } from '../render/status-line.ts';
import { readTextFile } from './task-options.ts';

/** Half a million learnings and more. */
const maxBytes = 256_000_000;

export const memoryImport: Command = {
  path: ['memory', 'import'],
  summary: 'Read learnings from a file of JSON lines.',
  details:
    'Each line is `{"category", "content"}` with, if you like, `id`, `tags` (or `relevance_tags`) and `created_at`. One that is there already is left as it is, so an import can be repeated, also after it was interrupted. Secrets are taken out first. Content of more than 1000 characters is cut behind a sentence, with `_(truncated)_`. What is imported starts as a candidate, except what was demoted or pruned where it comes from.\n\n`--restore` is for a copy of this project’s own memory: every field comes back: status, votes, origin, task, what replaced it.',
  args: [
    {
      name: 'FILE',
      summary: 'The file, or `-` for standard input.',
      required: true,
      completes: 'files',
    },
  ],
  options: [{ name: 'restore', summary: 'Take every field as the file has it.' }],
  examples: [
    { line: 'loopwright memory import learnings.jsonl', does: 'Adds the learnings of a file.' },
    {
      line: 'loopwright memory import --restore copy.jsonl',
      does: 'Brings back what `memory export --all` kept.',
    },
  ],
  run: runMemoryImport,
};

async function runMemoryImport(input: CommandInput, context: CliContext): Promise<number> {
  const file = await readTextFile(requiredArgument(input, 'FILE'), context, maxBytes);
  const lines = readLearnings(file, Date.parse);
  const learnings = lines.filter((each) => each !== null);
  const result = await importWithProgress(input, context, learnings);
  const empty = lines.length - learnings.length;
  if (wantsJson(input)) context.out.write(`${JSON.stringify({ ...result, empty })}\n`);
  else context.out.write(`${resultText(result, empty, createPaint(context.out.hasColour))}\n`);
  return result.complete ? exitCodes.ok : exitCodes.interrupted;
}

async function importWithProgress(
  input: CommandInput,
  context: CliContext,
  learnings: Parameters<typeof importMemory>[1],
): Promise<ImportResult> {
  const interrupted = new AbortController();
  using _signals = context.onSignal(() => interrupted.abort());
  await using opened = await context.open();
  const { store, clock, env } = opened.engine;
  let seen = 0;
  await using _status = new StatusLine(
    context.err,
    clock,
    () => `importing: ${seen} of ${learnings.length}`,
  );
  return await importMemory(store, learnings, {
    now: clock.now(),
    restore: isGiven(input, 'restore'),
    signal: interrupted.signal,
    redact: redactText(env),
    progress: (count) => void (seen = count),
  });
}

function resultText(
  { added, unchanged, cut, complete }: ImportResult,
  empty: number,
  paint: ReturnType<typeof createPaint>,
): string {
  const left = empty === 0 ? '' : `, ${plural(empty, 'line')} without content left out`;
  const long =
    cut === 0 ? '' : `, ${cut} of more than ${maxLearningChars} characters cut behind a sentence`;
  const counts = `${added} added, ${unchanged} already there${left}${long}`;
  if (complete) return `${paint('green', '✓')} ${counts}`;
  return `${paint('yellow', '!')} interrupted: ${counts}; the same import again adds the rest`;
}
