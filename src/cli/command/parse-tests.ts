import { plainText } from '../../core/text/terminal.ts';
import { parseTests, type TestRun } from '../../core/verdict/test-output/parse-tests.ts';
import { runnerNames } from '../../core/verdict/test-output/registry.ts';
import type { Command, CommandInput } from '../command.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { argument, option, wantsJson } from '../input.ts';
import { readInput } from '../read-input.ts';
import { formatUnits } from '../render/format.ts';
import { createPaint, type Paint } from '../render/paint.ts';

export const parseTestsCommand: Command = {
  path: ['parse', 'tests'],
  summary: 'Read the output of a test runner, or a report, and print what it says.',
  details: [
    'Understands the console output of the usual runners, with colours, redrawn lines, prefixes of CI logs and several runs in one text, and reports in JUnit XML, TAP and the JSON of `go test`. It is what verification reads.',
    'Counts: total = passed + failed + skipped; todo, pending, ignored, disabled and expected failures are skipped. `green` is true only when a test passed, none failed, every suite loaded and the output is whole; `null` is “cannot tell”.',
    'The exit code says whether the text could be read, not how the tests went.',
  ].join('\n\n'),
  args: [
    {
      name: 'FILE',
      summary:
        'The output; standard input when left out or `-`. Of a large file the last 256 MB are read.',
      required: false,
      completes: 'files',
    },
  ],
  options: [
    {
      name: 'runner',
      value: 'NAME',
      summary: 'Look for this runner alone.',
      choices: runnerNames,
    },
  ],
  examples: [
    { line: 'npm test 2>&1 | loopwright parse tests', does: 'Reads what the tests print.' },
    { line: 'loopwright parse tests ci.log', does: 'Reads the log of a CI job.' },
    {
      line: 'loopwright parse tests --runner junit --json report.xml',
      does: 'Prints a report in JUnit XML as JSON: counts, names, first errors.',
    },
  ],
  run: runParseTests,
};

async function runParseTests(input: CommandInput, context: CliContext): Promise<number> {
  const file = argument(input, 'FILE') ?? '-';
  const text = await readInput(file, context, { maxBytes, takesEnd: true });
  const run = parseTests(text, option(input, 'runner'));
  if (wantsJson(input)) context.out.write(`${JSON.stringify(run)}\n`);
  else context.out.write(render(run, createPaint(context.out.hasColour)));
  return exitCodes.ok;
}

const maxBytes = 256 * 1024 * 1024;

const shown = 20;

function render(run: TestRun, paint: Paint): string {
  const lines = [verdict(run, paint)];
  for (const error of run.errors.slice(0, shown))
    lines.push(`${paint('red', '!')} ${brief(error)}`);
  for (const { name, message } of run.failures.slice(0, shown)) {
    lines.push(`${paint('red', '✗')} ${brief(name)}`);
    if (message !== '') lines.push(paint('dim', `  ${brief(message)}`));
  }
  const more = run.failures.length - shown;
  if (more > 0) lines.push(paint('dim', `and ${more} more; --json names all that are kept`));
  return `${lines.join('\n')}\n`;
}

function verdict(run: TestRun, paint: Paint): string {
  if (run.framework === null) return `${paint('yellow', '?')} no test runner was recognised`;
  const { framework, passed, failed, skipped, total } = run;
  const counts = `${framework}: ${formatUnits(run, total)}, ${passed} passed, ${failed} failed, ${skipped} skipped`;
  if (run.green === true) return `${paint('green', '✓')} ${counts}`;
  if (run.green === false) return `${paint('red', '✗')} ${counts}`;
  return `${paint('yellow', '?')} ${counts}; ${whyUnknown(run)}`;
}

function whyUnknown({ incomplete, passed, total }: TestRun): string {
  if (incomplete) return 'the output is not whole';
  if (total === 0) return 'no test ran';
  return passed === 0 ? 'none passed' : 'something else in the output failed';
}

/** The first line, as plain text. */
function brief(text: string): string {
  const [first = ''] = plainText(text).trim().split('\n', 1);
  return first.length > 200 ? `${first.slice(0, 200)}…` : first;
}
