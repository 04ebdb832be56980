import type { Loop } from '../core/loop/loop.ts';
import { isSelector } from '../core/coordinate/selector.ts';
import { worksInPlace } from '../core/loop/place.ts';
import { isAsking, approveLoop, type Answer } from '../engine/answer-approval.ts';
import { showJudgeChanges } from './show-judge-changes.ts';
import { sendMessage } from '../engine/send-message.ts';
import { connectDaemon } from '../daemon/connect.ts';
import type { Engine } from '../engine/engine.ts';
import type { Session } from '../ports/store.ts';
import type { CommandInput, Option } from './command.ts';
import type { CliContext } from './context.ts';
import { exitCodes } from './exit-code.ts';
import { option, requiredArgument, wantsJson } from './input.ts';
import { nextCommands } from './render/next-commands.ts';
import { statusText } from './render/status-word.ts';
import { oneLine } from './render/story-line.ts';
import { resolveLoops, resolveRecorded } from './resolve-loop.ts';
import { withSession } from './session.ts';

export const byOption: Option = {
  name: 'by',
  value: 'NAME',
  summary: 'Who says so; you, unless given. One person counts once.',
};

type Give = (engine: Engine, session: Session, loop: Loop, answer: Answer) => Promise<Loop>;

/** Gives a person's answer to a loop, or to all that a selector means and that ask, and tells what became of it. */
export async function answerApproval(
  input: CommandInput,
  context: CliContext,
  text: string,
  give: Give,
): Promise<number> {
  await using opened = await context.open();
  const { engine } = opened;
  const reference = requiredArgument(input, 'LOOP');
  const named = await resolveLoops(engine, reference);
  const meant: Loop[] = [];
  for (const { id } of named) meant.push(await resolveRecorded(engine, id, context));
  const loops = isSelector(reference) ? meant.filter(isAsking) : meant;
  if (loops.length === 0) context.err.write('no such loop waits for an approval\n');
  for (const loop of loops) await answerOne(input, context, engine, loop, text, give);
  return exitCodes.ok;
}

async function answerOne(
  input: CommandInput,
  context: CliContext,
  engine: Engine,
  loop: Loop,
  text: string,
  give: Give,
): Promise<void> {
  if (give === approveLoop) await showJudgeChanges(context, engine, loop);
  const by = option(input, 'by') ?? context.env['USER'] ?? context.env['LOGNAME'] ?? 'user';
  const after = await withSession(engine, (session) => give(engine, session, loop, { by, text }));
  const isInDaemon = await goesOnInDaemon(engine, after);
  const { id, taskId, status, reason } = after;
  if (wantsJson(input)) {
    const result = { loop: id, task: taskId, status, reason, by, exitCode: exitCodes.ok };
    context.out.write(`${JSON.stringify(result)}\n`);
    return;
  }
  if (after.status === 'waiting') {
    context.out.write(`${id} is told and goes on\n`);
    return;
  }
  if (isInDaemon) {
    context.out.write(`${id} goes on in the daemon\n`);
    return;
  }
  const why = after.text === null ? '' : `: ${oneLine(after.text)}`;
  context.out.write(`${id} is ${statusText(status, reason)}${why}\n`);
  const [next] = nextCommands(after, false);
  if (next !== undefined) context.out.write(`next: ${next.line}   ${next.does}\n`);
}

/** A loop that was only asked something does not wait for a second command where a daemon could go on with it. */
async function goesOnInDaemon(engine: Engine, loop: Loop): Promise<boolean> {
  const wantsToGoOn = loop.reason === 'interrupted' || loop.reason === 'rejected';
  if (loop.status !== 'paused' || !wantsToGoOn || worksInPlace(loop)) return false;
  if ((await connectDaemon(engine.stateDir)) === null) return false;
  await sendMessage(engine, { kind: 'resume', sender: null, to: loop.id, body: '' });
  return true;
}
