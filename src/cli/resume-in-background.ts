import { isSelector } from '../core/coordinate/selector.ts';
import { LoopwrightError } from '../core/error.ts';
import { isResting } from '../core/loop/status.ts';
import type { Loop } from '../core/loop/loop.ts';
import { connectDaemon } from '../daemon/connect.ts';
import type { Engine } from '../engine/engine.ts';
import { sendMessage } from '../engine/send-message.ts';
import type { CommandInput } from './command.ts';
import type { CliContext } from './context.ts';
import { exitCodes } from './exit-code.ts';
import { argument, isGiven, usageError, wantsJson } from './input.ts';
import { resolveLoops } from './resolve-loop.ts';

/** Several loops at once, or one that is told to: they go on in the daemon. */
export function isForDaemon(input: CommandInput): boolean {
  const reference = argument(input, 'LOOP') ?? '';
  return isGiven(input, 'all') || isGiven(input, 'detach') || isSelector(reference);
}

/** Asks the daemon to go on with loops. The wish is stored: it outlives a daemon that is killed before it is fulfilled. */
export async function resumeInBackground(
  input: CommandInput,
  context: CliContext,
): Promise<number> {
  await using opened = await context.open();
  const { engine } = opened;
  if ((await connectDaemon(engine.stateDir)) === null) {
    throw new LoopwrightError('daemon.none', 'no daemon works for this repository', {
      hint: 'start it with `loopwright daemon start`, or resume one loop at a time in the foreground',
    });
  }
  const ids = await restingLoops(engine, input);
  for (const id of ids) {
    await sendMessage(engine, { kind: 'resume', sender: null, to: id, body: '' });
  }
  if (wantsJson(input)) {
    context.out.write(`${JSON.stringify({ loops: ids, exitCode: exitCodes.ok })}\n`);
  } else if (ids.length === 0) context.out.write('no loop rests that could go on\n');
  else context.out.write(`the daemon goes on with ${ids.join(', ')}\n`);
  return exitCodes.ok;
}

async function restingLoops(engine: Engine, input: CommandInput): Promise<readonly string[]> {
  const reference = argument(input, 'LOOP');
  if (isGiven(input, 'all')) {
    if (reference !== null) throw usageError('give either a loop or --all, not both');
    const rows = await engine.store.read((tx) => tx.loops.list({ statuses: ['paused'] }));
    return rows.map(({ id }) => id);
  }
  if (reference === null) throw usageError('say which loop, or --all');
  const meant = await resolveLoops(engine, reference);
  const loops = isSelector(reference) ? meant.filter(couldGoOn) : meant;
  return loops.map(({ id }) => id);
}

function couldGoOn({ status }: Loop): boolean {
  return isResting(status) && status !== 'complete';
}
