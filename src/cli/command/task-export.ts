import { writeTaskFile, type ExportFormat } from '../../adapters/files/task-files.ts';
import type { Command, CommandInput } from '../command.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { option, usageError, wantsJson } from '../input.ts';

const formats: readonly ExportFormat[] = ['markdown', 'json', 'yaml', 'beads'];

export const taskExport: Command = {
  path: ['task', 'export'],
  summary: 'Print every task as Markdown, JSON, YAML or beads.',
  details: 'Importing the output again changes nothing.',
  options: [
    { name: 'format', value: 'FORMAT', summary: 'Markdown when left out.', choices: formats },
  ],
  examples: [
    { line: 'loopwright task export > plan.md', does: 'Saves the tasks as a checklist.' },
    { line: 'loopwright task export --format beads > issues.jsonl', does: 'Saves them for beads.' },
  ],
  run: runTaskExport,
};

async function runTaskExport(input: CommandInput, context: CliContext): Promise<number> {
  const asked = option(input, 'format');
  if (wantsJson(input) && asked !== null && asked !== 'json') {
    throw usageError(`--json and --format ${asked} exclude each other`, 'give one of them');
  }
  const format = wantsJson(input) ? 'json' : (formats.find((name) => name === asked) ?? 'markdown');
  await using opened = await context.open({ onlyReads: true });
  const text = await opened.engine.store.read(async (tx) =>
    writeTaskFile(format, await tx.tasks.list({}), await tx.tasks.edges()),
  );
  context.out.write(text);
  return exitCodes.ok;
}
