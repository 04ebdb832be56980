import { withoutQuestion } from './consent.ts';
import { startedIteration } from './fresh.ts';
import { nextAttempt, type Iteration, type Loop } from './loop.ts';

/**
 * The loop with iterations of which only the numbers are known: its store was older than its work. Each counts, because it was
 * paid for. What was decided or asked before them is history; the loop goes on at the boundary with the next number.
 */
export function withUnrecorded(loop: Loop, numbers: readonly number[], time: number): Loop {
  const known = loop.iterations.map((each) =>
    each.endedAt === null ? cutShort(each, time) : each,
  );
  const first = nextAttempt({ ...loop, iterations: known });
  const lost = numbers.map((number, index): Iteration => {
    const attempt = first + index;
    const event = {
      type: 'iteration.started',
      number,
      attempt,
      startTree: '',
      startHead: null,
    } as const;
    const iteration = cutShort(startedIteration(event, time), time);
    return { ...iteration, durationMs: null, counted: true, unrecorded: true };
  });
  const warning = unrecordedText(numbers);
  return {
    ...withoutQuestion(loop),
    iterations: [...known, ...lost],
    wait: null,
    step: loop.step === 'baseline' ? 'baseline' : 'boundary',
    resumedAfter: [...known, ...lost].at(-1)?.number ?? loop.resumedAfter,
    behind: true,
    warnings: loop.warnings.includes(warning) ? loop.warnings : [...loop.warnings, warning],
  };
}

export function unrecordedText(numbers: readonly number[]): string {
  if (numbers.length === 0)
    return 'the store is older than what was done since: the loop goes on from its branch';
  const shown = numbers.slice(0, 10).join(', ');
  const more = numbers.length > 10 ? ` and ${numbers.length - 10} more` : '';
  const what = numbers.length === 1 ? `iteration ${shown} is` : `iterations ${shown}${more} are`;
  return `the store is older than the work of this loop: ${what} not recorded; the loop goes on from its branch`;
}

function cutShort(iteration: Iteration, time: number): Iteration {
  return {
    ...iteration,
    status: 'interrupted',
    outcome: 'interrupted',
    endedAt: time,
    durationMs: Math.max(0, time - iteration.startedAt),
    process: null,
    why: 'what was recorded of it is lost: the store was older than the work',
  };
}
