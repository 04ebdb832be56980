import { plainText } from '../../core/text/terminal.ts';
import { parseSigils, type Sigils } from '../../core/transcript/sigils.ts';
import type { Command } from '../command.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { argument, wantsJson } from '../input.ts';
import { readInput } from '../read-input.ts';
import { createPaint } from '../render/paint.ts';
import { oneLine } from '../render/story-line.ts';

const maxBytes = 64 * 1024 * 1024;

export const parseSigilsCommand: Command = {
  path: ['parse', 'sigils'],
  summary: "Read the tags of an agent's final message and print what they say.",
  details:
    'The same reader as in a loop: tags inside code are text, the first valid tag of each kind counts, learnings may repeat, what is malformed is absent, and a message that says done and failed says failed. `--json` prints what was found, absent = null.',
  args: [
    {
      name: 'FILE',
      summary: 'The message; standard input when left out or `-`.',
      required: false,
      completes: 'files',
    },
  ],
  examples: [
    { line: 'loopwright parse sigils final.md', does: 'Shows what a message claims and teaches.' },
    { line: 'loopwright parse sigils --json < final.md', does: 'Prints it as JSON.' },
  ],

  async run(input, context) {
    const file = argument(input, 'FILE') ?? '-';
    const text = await readInput(file, context, { maxBytes });
    const sigils = parseSigils(text);
    if (wantsJson(input)) context.out.write(`${JSON.stringify(sigils)}\n`);
    else context.out.write(render(sigils, context));
    return exitCodes.ok;
  },
};

function render(sigils: Sigils, { out }: CliContext): string {
  const paint = createPaint(out.hasColour);
  const report = sigils.failureReport;
  const rows: readonly (readonly [string, string | null])[] = [
    ['done', sigils.taskDone],
    ['judge changed', sigils.judgeChanged ?? null],
    ['failed', sigils.taskFailed],
    ['next model', sigils.nextModel],
    ['difficulty', sigils.difficulty],
    ['summary', sigils.summary],
    ['tried', report?.whatTried ?? null],
    ['why failed', report === null ? null : `${report.whyFailed} (${report.errorCategory})`],
    ['retry', sigils.retrySuggestion],
    ...sigils.learnings.map(({ category, content }): readonly [string, string] => [
      'learning',
      `[${category}] ${content}`,
    ]),
  ];
  const lines = rows.flatMap(([label, value]) =>
    value === null
      ? []
      : [`${paint('dim', label.padEnd(12))}${oneLine(plainText(value)).slice(0, 200)}`],
  );
  return lines.length === 0 ? 'no sigils\n' : `${lines.join('\n')}\n`;
}
