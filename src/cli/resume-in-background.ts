import { isSelector } from '../core/coordinate/selector.ts';
import { LoopwrightError } from '../core/error.ts';
import { connectDaemon } from '../daemon/connect.ts';
import { requireWorkable } from '../engine/run-ready.ts';
import { sendMessage } from '../engine/send-message.ts';
import type { CommandInput } from './command.ts';
import type { CliContext } from './context.ts';
import { exitCodes } from './exit-code.ts';
import { argument, isGiven, wantsJson } from './input.ts';
import { loopsToResume } from './resume-several.ts';

/** Several loops at once, or one that is told to: they go on in the daemon, if there is one. */
export function isForSeveral(input: CommandInput): boolean {
  const reference = argument(input, 'LOOP') ?? '';
  return isGiven(input, 'all') || isGiven(input, 'detach') || isSelector(reference);
}

/**
 * Asks the daemon to go on with loops. The wish is stored: it outlives a daemon that is killed before it is fulfilled. Null: there
 * is no daemon, and nobody insists on one.
 */
export async function resumeInBackground(
  input: CommandInput,
  context: CliContext,
): Promise<number | null> {
  await using opened = await context.open();
  const { engine } = opened;
  if ((await connectDaemon(engine.stateDir)) === null) {
    if (!isGiven(input, 'detach')) return null;
    throw new LoopwrightError('daemon.none', 'no daemon works for this repository', {
      hint: 'start it with `loopwright daemon start`, or leave --detach away',
    });
  }
  const loops = await loopsToResume(engine, input);
  for (const loop of loops) await requireWorkable(engine, loop);
  const ids = loops.map(({ id }) => id);
  for (const id of ids) {
    await sendMessage(engine, { kind: 'resume', sender: null, to: id, body: '' });
  }
  if (wantsJson(input)) {
    context.out.write(`${JSON.stringify({ loops: ids, exitCode: exitCodes.ok })}\n`);
  } else if (ids.length === 0) context.out.write('no loop rests that could go on\n');
  else context.out.write(`the daemon goes on with ${ids.join(', ')}\n`);
  return exitCodes.ok;
}
