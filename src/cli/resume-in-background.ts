import { isDayBudget } from '../core/budget/ledger.ts';
import { isSelector } from '../core/coordinate/selector.ts';
import { LoopwrightError } from '../core/error.ts';
import { connectDaemon } from '../daemon/connect.ts';
import type { Engine } from '../engine/engine.ts';
import { requireWorkable } from '../engine/run-ready.ts';
import { sendMessage } from '../engine/send-message.ts';
import type { CommandInput } from './command.ts';
import type { CliContext } from './context.ts';
import { exitCodes } from './exit-code.ts';
import { argument, isGiven, usageError, wantsJson } from './input.ts';
import { formatTime } from './render/format.ts';
import { loopsToResume } from './resume-several.ts';
import { flagValues } from './setting-options.ts';

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
  const daemon = await connectDaemon(engine.stateDir);
  if (daemon === null) {
    if (!isGiven(input, 'detach')) return null;
    throw new LoopwrightError('daemon.none', 'no daemon works for this repository', {
      hint: 'start it with `loopwright daemon start`, or leave --detach away',
    });
  }
  refuseForeground(input);
  const { budget } = await daemon.client.call('daemon');
  if (budget.spent !== null) throw await daemonSpent(engine, budget.spent);
  const loops = await loopsToResume(engine, input);
  for (const loop of loops) await requireWorkable(engine, loop);
  const ids = loops.map(({ id }) => id);
  for (const id of ids) {
    await sendMessage(engine, { kind: 'resume', sender: null, to: id, body: '' });
  }
  if (wantsJson(input)) {
    context.out.write(`${JSON.stringify({ loops: ids, exitCode: exitCodes.ok })}\n`);
  } else if (ids.length === 0) context.out.write('no loop rests that could continue\n');
  else context.out.write(`the daemon goes on with ${ids.join(', ')}\n`);
  return exitCodes.ok;
}

const foregroundOnly = ['jobs', 'wait', 'allow-unpriced', 'reload', 'events'];

/** The daemon reads loopwright.yml and the flags that a loop was started with: a flag given here would change nothing. */
function refuseForeground(input: CommandInput): void {
  const [flag] = [
    ...Object.keys(flagValues(input)),
    ...foregroundOnly.filter((name) => input.options[name] !== undefined),
  ];
  if (flag === undefined) return;
  throw usageError(
    `--${flag} says nothing to the daemon, which works by loopwright.yml`,
    flag === 'jobs'
      ? 'omit it: the daemon runs as many at once as `scheduler.max-agents` says'
      : `set it there; or continue one loop here: \`loopwright loop resume LOOP --${flag} ...\``,
  );
}

/** The loops would only be stopped again. */
async function daemonSpent(engine: Engine, spent: string): Promise<LoopwrightError> {
  const text = `the daemon starts nothing more: ${spent}`;
  const at = isDayBudget(spent) ? await engine.budget.dayRoomAt() : null;
  const when = at === null ? '' : `wait until ${formatTime(at).slice(0, 16)} UTC, or `;
  const restart = isDayBudget(spent)
    ? ''
    : '; a daemon that is started again (`loopwright daemon stop`, `loopwright daemon start`) has a new budget';
  return new LoopwrightError('budget.spent', text, {
    hint: `${when}raise ${isDayBudget(spent) ? '`budget.day`' : '`budget.run`'} in loopwright.yml: the daemon then continues the loops that this budget stopped${restart}`,
  });
}
