import { readLearnings } from '../../core/memory/import-learnings.ts';
import { importMemory } from '../../engine/import-memory.ts';
import { redactText } from '../../engine/redact-text.ts';
import type { Command, CommandInput } from '../command.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { requiredArgument, wantsJson } from '../input.ts';
import { createPaint } from '../render/paint.ts';
import { readTextFile } from './task-options.ts';

export const memoryImport: Command = {
  path: ['memory', 'import'],
  summary: 'Read learnings from a file of JSON lines.',
  details:
    'Each line is `{"category", "content"}` with, if you like, `id`, `tags` (or `relevance_tags`) and `created_at`. A given id is kept; one that is there already is left as it is, so an import can be repeated. Secrets are taken out first. What is imported starts as a candidate.',
  args: [
    {
      name: 'FILE',
      summary: 'The file, or `-` for standard input.',
      required: true,
      completes: 'files',
    },
  ],
  examples: [
    { line: 'loopwright memory import learnings.jsonl', does: 'Adds the learnings of a file.' },
  ],
  run: runMemoryImport,
};

async function runMemoryImport(input: CommandInput, context: CliContext): Promise<number> {
  const text = await readTextFile(requiredArgument(input, 'FILE'), context);
  const learnings = readLearnings(text, Date.parse);
  await using opened = await context.open();
  const { store, ids, clock, env } = opened.engine;
  const redact = redactText(env);
  const result = await importMemory(store, learnings, { ids, now: clock.now(), redact });
  const { added, unchanged } = result;
  const paint = createPaint(context.out.hasColour);
  const line = `${paint('green', '✓')} ${added} added, ${unchanged} already there\n`;
  context.out.write(wantsJson(input) ? `${JSON.stringify(result)}\n` : line);
  return exitCodes.ok;
}
