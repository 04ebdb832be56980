import { isSelector } from '../../core/coordinate/selector.ts';
import { queryLoops } from '../../engine/answer-query.ts';
import type { Engine } from '../../engine/engine.ts';
import { sendMessage, type MessageInput } from '../../engine/send-message.ts';
import { messageLine } from '../../protocol/http/message-line.ts';
import type { Argument, Command, CommandInput, Option } from '../command.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { argument, option, requiredArgument, usageError, wantsJson } from '../input.ts';
import { plural } from '../render/format.ts';
import { resolveLoop } from '../resolve-loop.ts';

const receivers: Argument = {
  name: 'TO',
  summary:
    'A loop, a task, `last`, or a selector: `all`, `status:running`, `type:NAME`, `children[:TASK]`, `descendants[:TASK]`.',
  required: true,
  completes: 'loops',
};
const words: Argument = {
  name: 'TEXT',
  summary: 'The text, or `-` for standard input.',
  required: true,
};
const from: Option = {
  name: 'from',
  value: 'LOOP',
  summary: 'The loop that sends it; inside a loop that one, else you.',
  completes: 'loops',
};

export const share: Command = {
  path: ['share'],
  summary: 'Give a text to other loops, for their next prompt.',
  details:
    'It is stored, read between two iterations, and appears once in the prompt, with its sender named and marked as data. A prompt tells 2000 characters of them; the others stand in a file that it names.',
  args: [receivers, words],
  options: [from],
  examples: [
    {
      line: 'loopwright share status:running "the schema is in docs/schema.md now"',
      does: 'Tells every loop that runs.',
    },
  ],
  run: (input, context) => send(input, context, 'share'),
};

export const alert: Command = {
  path: ['alert'],
  summary: 'Tell other loops, and you, that something is up.',
  details: 'As `share`; it is also shown where the loop is followed, and sent as a notification.',
  args: [receivers, words],
  options: [from],
  examples: [{ line: 'loopwright alert all "main is broken"', does: 'Warns every open loop.' }],
  run: (input, context) => send(input, context, 'alert'),
};

export const query: Command = {
  path: ['query'],
  summary: 'Ask what is known about other loops.',
  details:
    'Answered at once from what is stored: status, newest iteration, checks, files, and what the loop has shared. Two loops that ask each other are refused rather than left waiting.',
  args: [receivers, { ...words, required: false }],
  options: [from],
  examples: [
    { line: 'loopwright query last', does: 'Shows what the newest loop has done so far.' },
  ],

  async run(input, context) {
    await using opened = await context.open();
    const answers = await queryLoops(opened.engine, await messageOf(input, context, opened.engine));
    if (wantsJson(input)) {
      context.out.write(`${JSON.stringify({ answers, exitCode: exitCodes.ok })}\n`);
    } else context.out.write(`${answers.map(({ text }) => text).join('\n\n')}\n`);
    return exitCodes.ok;
  },
};

async function send(
  input: CommandInput,
  context: CliContext,
  kind: 'share' | 'alert',
): Promise<number> {
  await using opened = await context.open();
  const message = await messageOf(input, context, opened.engine);
  const { sent, refused } = await sendMessage(opened.engine, { ...message, kind });
  const exitCode = refused.length === 0 ? exitCodes.ok : exitCodes.failed;
  if (wantsJson(input)) {
    const whyNot = refused.map(({ code, message: text }) => ({ code, message: text }));
    const result = { messages: sent.map(messageLine), refused: whyNot, exitCode };
    context.out.write(`${JSON.stringify(result)}\n`);
    return exitCode;
  }
  const names = sent.map(({ receiver }) => receiver).join(', ');
  context.out.write(`sent to ${plural(sent.length, 'loop')}: ${names}\n`);
  for (const { message: text } of refused) context.err.write(`not taken: ${text}\n`);
  return exitCode;
}

async function messageOf(
  input: CommandInput,
  context: CliContext,
  engine: Engine,
): Promise<Omit<MessageInput, 'kind'>> {
  const to = requiredArgument(input, 'TO');
  const given = argument(input, 'TEXT') ?? '';
  const body = given === '-' ? await context.readStdin(2_000_000) : given;
  const named = option(input, 'from');
  if (named !== null && context.insideLoop !== undefined) {
    throw usageError('--from is not for agents: a loop speaks for itself');
  }
  const own = context.insideLoop ?? context.env['LOOPWRIGHT_LOOP'] ?? null;
  const sender = named === null ? own : (await resolveLoop(engine, named)).id;
  return { to: isSelector(to) ? to : (await resolveLoop(engine, to)).id, body, sender };
}
