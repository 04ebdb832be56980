import type { Loop } from '../core/loop/loop.ts';
import { openIteration } from '../core/loop/loop.ts';
import { isSelector } from '../core/coordinate/selector.ts';
import { loopStatuses, isResting } from '../core/loop/status.ts';
import { requestLoop, type RequestAnswer, type RequestKind } from '../engine/request-loop.ts';
import type { Engine } from '../engine/engine.ts';
import type { CommandInput, Option } from './command.ts';
import type { CliContext } from './context.ts';
import { exitCodes } from './exit-code.ts';
import { argument, isGiven, usageError, wantsJson } from './input.ts';
import { resumeLine } from './render/next-commands.ts';
import { statusText } from './render/status-word.ts';
import { resolveLoops } from './resolve-loop.ts';
import { withSession } from './session.ts';

export const allOption: Option = { name: 'all', summary: 'Every loop that is running or waiting.' };

/** Asks one loop, or with `--all` every loop that does not rest, and tells what follows. */
export async function askLoops(
  input: CommandInput,
  context: CliContext,
  kind: RequestKind,
  when: 'finish' | 'cut',
): Promise<number> {
  await using opened = await context.open({ startsNothing: true });
  const { engine } = opened;
  const loops = await chosenLoops(engine, input);
  const answers = await withSession(engine, async (session) => {
    const made: RequestAnswer[] = [];
    for (const { id } of loops) made.push(await requestLoop(engine, session, id, kind, when));
    return made;
  });
  if (wantsJson(input)) {
    const results = answers.map(({ answer, loop }) => {
      return { loop: loop.id, task: loop.taskId, status: loop.status, reason: loop.reason, answer };
    });
    const isOne = !isGiven(input, 'all') && !isSelector(argument(input, 'LOOP') ?? '');
    const shown = isOne ? results[0] : { loops: results };
    context.out.write(`${JSON.stringify({ ...shown, exitCode: exitCodes.ok })}\n`);
    return exitCodes.ok;
  }
  if (answers.length === 0) context.out.write('no loop is running\n');
  for (const answer of answers) context.out.write(`${describeAnswer(answer, kind, when)}\n`);
  return exitCodes.ok;
}

async function chosenLoops(
  engine: Engine,
  input: CommandInput,
): Promise<readonly { readonly id: string }[]> {
  const reference = argument(input, 'LOOP');
  if (!isGiven(input, 'all')) {
    if (reference === null)
      throw usageError('say which loop, or --all', 'list them with `loopwright loop list`');
    return resolveLoops(engine, reference);
  }
  if (reference !== null) throw usageError('give either a loop or --all, not both');
  const statuses = loopStatuses.filter((status) => !isResting(status));
  return engine.store.read((tx) => tx.loops.list({ statuses }));
}

const done: Readonly<Record<RequestKind, string>> = {
  pause: 'paused',
  stop: 'stopped',
  cancel: 'cancelled',
};

function describeAnswer(
  { answer, loop }: RequestAnswer,
  kind: RequestKind,
  when: 'finish' | 'cut',
): string {
  switch (answer) {
    case 'asked': {
      const moment = when === 'cut' ? 'now' : afterWhat(loop);
      return `${loop.id} will be ${done[kind]} ${moment}; follow it with \`loopwright logs -f ${loop.id}\``;
    }
    case 'done':
      return kind === 'cancel'
        ? `${loop.id} is cancelled, and so is its task ${loop.taskId}`
        : `${loop.id} is ${done[kind]}; go on with \`${resumeLine(loop)}\``;
    case 'already':
      return `${loop.id} is ${statusText(loop.status, loop.reason)} already; nothing was changed`;
  }
}

function afterWhat(loop: Loop): string {
  const iteration = openIteration(loop);
  return iteration === null ? 'at once' : `after iteration ${iteration.number}`;
}
