import path from 'node:path';
import { evolve } from '../../core/loop/evolve.ts';
import type { RecordedEvent } from '../../core/loop/event.ts';
import { openIteration, type Loop } from '../../core/loop/loop.ts';
import type { Opened } from '../../daemon/compose.ts';
import type { Command, CommandInput } from '../command.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { follow, storedEvents } from '../follow.ts';
import { argument, isGiven, numberOption, usageError, wantsJson } from '../input.ts';
import { formatClock } from '../render/format.ts';
import { createPaint } from '../render/paint.ts';
import { storyOf } from '../render/story.ts';
import { detail, oneLine, renderLine } from '../render/story-line.ts';
import { optionalLoopArgument, resolveLoop } from '../resolve-loop.ts';
import { readableLines } from '../render/agent-output.ts';

const shownLines = 10;
const tailBytes = 64 * 1024;

export const logs: Command = {
  path: ['logs'],
  summary: 'Tell the story of a loop; -f follows it.',
  details:
    'Everything that happened, with the end of what the agent of the newest iteration printed. Times are UTC.',
  args: [optionalLoopArgument],
  options: [
    { name: 'follow', short: 'f', summary: 'Go on until the loop rests.' },
    {
      name: 'tail',
      short: 'n',
      value: 'N',
      summary: `Lines of the agent's output (${shownLines}); 0 = none.`,
    },
    { name: 'verbose', short: 'v', summary: 'Say more.' },
  ],
  examples: [
    { line: 'loopwright logs', does: 'Tells what the newest loop did.' },
    { line: 'loopwright logs -f loop-1a2b', does: 'Follows a loop that runs elsewhere.' },
  ],

  async run(input, context) {
    await using opened = await context.open({ onlyReads: true });
    if (wantsJson(input) && isGiven(input, 'follow')) {
      throw usageError(
        '--json prints one object, and --follow has no end to print it at',
        'follow with `loopwright events LOOP --follow`, which prints one object per line',
      );
    }
    const { id } = await resolveLoop(opened.engine, argument(input, 'LOOP'));
    const teller = new Teller(input, context, opened, id);
    if (!isGiven(input, 'follow')) {
      await teller.tellNew();
      if (wantsJson(input)) context.out.write(`${JSON.stringify(await teller.result())}\n`);
      else await teller.tellOutput();
      return exitCodes.ok;
    }
    const dir = opened.engine.artifacts.loopDir(id);
    const end = await follow(opened, id, [dir], async () => {
      await teller.tellNew();
      await teller.tellNewOutput();
    });
    if (end === 'abandoned') {
      context.err.write(`nobody drives ${id} now; go on with \`loopwright loop resume ${id}\`\n`);
    }
    return exitCodes.ok;
  },
};

/** Tells each event once, and of the agent's output what is new. */
class Teller {
  readonly #input: CommandInput;
  readonly #context: CliContext;
  readonly #opened: Opened;
  readonly #loopId: string;
  #loop: Loop | null = null;
  /** With `--json`: what is printed at the end, as one object. */
  readonly #told: { seq: number; time: string; label: string | null; text: string }[] = [];
  #since = 0;
  #output: { readonly file: string; readonly text: string } | null = null;

  constructor(input: CommandInput, context: CliContext, opened: Opened, loopId: string) {
    this.#input = input;
    this.#context = context;
    this.#opened = opened;
    this.#loopId = loopId;
  }

  async tellNew(): Promise<void> {
    for await (const recorded of storedEvents(this.#opened.engine, this.#loopId, this.#since)) {
      this.#since = recorded.seq;
      this.#loop = evolve(this.#loop, recorded);
      if (this.#loop !== null) this.#tell(recorded, this.#loop);
    }
  }

  #tell(recorded: RecordedEvent, loop: Loop): void {
    const { out } = this.#context;
    const lines = storyOf(recorded, loop).filter(
      ({ isVerbose }) => !isVerbose || isGiven(this.#input, 'verbose'),
    );
    if (wantsJson(this.#input)) {
      const time = new Date(recorded.time).toISOString();
      this.#told.push(
        ...lines.map(({ label, text }) => ({ seq: recorded.seq, time, label, text })),
      );
      return;
    }
    const paint = createPaint(out.hasColour);
    const columns = out.isTerminal ? Math.max(40, out.columns - 10) : null;
    const stamp = paint('dim', formatClock(recorded.time));
    for (const story of lines) {
      const text = renderLine(story, columns, paint).replaceAll('\n', `\n${' '.repeat(10)}`);
      out.write(`${stamp}  ${text}\n`);
    }
  }

  /** Everything at once, for programs. */
  async result() {
    const output = await this.#lastOutput();
    const lines = this.#told;
    return { loop: this.#loopId, lines, output: output?.lines ?? [], exitCode: exitCodes.ok };
  }

  async #lastOutput(): Promise<{ file: string; lines: readonly string[] } | null> {
    const count = numberOption(this.#input, 'tail') ?? shownLines;
    const file = await this.#outputFile();
    if (file === null || count === 0) return null;
    const text = (await this.#opened.engine.artifacts.readTail(file, tailBytes)) ?? '';
    return { file, lines: readableLines(text.split('\n')).slice(-count) };
  }

  /** The end of what the newest agent run printed. */
  async tellOutput(): Promise<void> {
    const output = await this.#lastOutput();
    if (output === null || output.lines.length === 0) return;
    const { file, lines } = output;
    const { out } = this.#context;
    const paint = createPaint(out.hasColour);
    out.write(`\n${paint('dim', `what the agent printed last (${file}):`)}\n`);
    for (const each of lines) out.write(`  ${oneLine(each, 200)}\n`);
  }

  /** While an agent runs: the lines it has printed since the last look. */
  async tellNewOutput(): Promise<void> {
    if (this.#loop === null || openIteration(this.#loop)?.status !== 'executing') return;
    const file = await this.#outputFile();
    if (file === null || numberOption(this.#input, 'tail') === 0) return;
    const text = (await this.#opened.engine.artifacts.readTail(file, tailBytes)) ?? '';
    const before = this.#output?.file === file ? this.#output.text : '';
    this.#output = { file, text };
    const { out } = this.#context;
    const paint = createPaint(out.hasColour);
    for (const each of readableLines(newLines(before, text)).slice(-shownLines * 2)) {
      const columns = out.isTerminal ? out.columns : null;
      out.write(`${renderLine(detail(each), columns, paint)}\n`);
    }
  }

  async #outputFile(): Promise<string | null> {
    const iteration = this.#loop?.iterations.at(-1);
    if (iteration === undefined) return null;
    const dir = await this.#opened.engine.artifacts.iterationDir(this.#loopId, iteration.number);
    return path.join(dir, iteration.tries > 1 ? `stdout-${iteration.tries}.log` : 'stdout.log');
  }
}

/** Whole lines of a growing tail that were not there before. */
export function newLines(before: string, text: string): readonly string[] {
  const end = text.lastIndexOf('\n');
  const whole = text.slice(0, end + 1);
  const known = before.slice(0, before.lastIndexOf('\n') + 1);
  const start = overlap(known, whole);
  return whole
    .slice(start)
    .split('\n')
    .filter((line) => line.trim() !== '');
}

/** Where the new part of `text` begins: behind what the end of `known` and its beginning share. */
function overlap(known: string, text: string): number {
  if (known === '') return 0;
  if (text.startsWith(known)) return known.length;
  const lastLines = known.slice(-2000);
  const at = text.lastIndexOf(lastLines);
  return at === -1 ? 0 : at + lastLines.length;
}
