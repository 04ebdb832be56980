import { isDayBudget } from '../core/budget/ledger.ts';
import type { Opened } from '../daemon/compose.ts';
import type { RunOutcome } from '../engine/run-loops.ts';
import type { CliContext } from './context.ts';
import { exitCodes } from './exit-code.ts';
import { formatTime } from './render/format.ts';

/**
 * Says what has kept the rest of a run from starting, and how it goes on: a budget of the run or the day, or a full disk. Returns the
 * exit codes that follow; none when everything ran. `command` continues what is left.
 */
export async function tellCutShort(
  { err }: CliContext,
  { engine }: Opened,
  { spent, full }: Pick<RunOutcome, 'spent' | 'full'>,
  command: string,
): Promise<readonly number[]> {
  const again = `there is more to do: \`${command}\` continues`;
  if (spent !== null) {
    const next = isDayBudget(spent)
      ? roomText(await engine.budget.dayRoomAt(), command)
      : `${again} with a new budget`;
    err.write(`${spent}; ${next}\n`);
  }
  if (full !== null) err.write(`${full}; ${again}\n`);
  return [
    ...(spent === null ? [] : [exitCodes.budget]),
    ...(full === null ? [] : [exitCodes.stopped]),
  ];
}

/** A new run has the same day: it continues later, or with a larger budget. */
export function roomText(at: number | null, command: string): string {
  const when = at === null ? '' : `there is room again at ${formatTime(at).slice(0, 16)} UTC; `;
  return `${when}\`${command} --max-day-cost-usd USD\` raises it`;
}
