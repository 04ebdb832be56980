import type { LearningStatus } from '../../core/memory/learning.ts';
import {
  estimateLift,
  liftPerLearning,
  type Lift,
  type Trial,
} from '../../core/memory/rank/lift.ts';
import type { InjectedItem } from '../../ports/memory.ts';
import type { Command, CommandInput } from '../command.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { wantsJson } from '../input.ts';
import { renderTable } from '../render/table.ts';
import { createPaint } from '../render/paint.ts';

export const memoryStats: Command = {
  path: ['memory', 'stats'],
  summary: 'Show how much learnings help, measured against iterations they were withheld from.',
  details:
    'One in ten eligible learnings is withheld from an iteration. Lift is how much more often the checks got better with a learning than without it, with the range it lies in with 95 % certainty. Below ten iterations on either side there is not enough data.',
  examples: [
    { line: 'loopwright memory stats', does: 'Shows what memory is worth in this project.' },
  ],
  run: runMemoryStats,
};

type Stats = {
  readonly learnings: Readonly<Record<LearningStatus, number>>;
  readonly overall: Lift;
  readonly items: ReturnType<typeof liftPerLearning>;
};

const shown = 20;

async function runMemoryStats(input: CommandInput, context: CliContext): Promise<number> {
  await using opened = await context.open({ onlyReads: true });
  const { learnings, injected } = await opened.engine.store.read(async (tx) => ({
    learnings: await tx.learnings.countByStatus(),
    injected: await tx.learnings.injected({}),
  }));
  const trials = injected.flatMap(toTrial);
  const stats = { learnings, overall: estimateLift(trials), items: liftPerLearning(trials) };
  const json = (): string => `${JSON.stringify(statsJson(stats))}\n`;
  context.out.write(wantsJson(input) ? json() : render(stats, context));
  return exitCodes.ok;
}

/** Iterations without a verification prove nothing. */
function toTrial({ learningId, withheld, vote, passed }: InjectedItem): readonly Trial[] {
  if (passed === null) return [];
  return [{ learningId, withheld, succeeded: passed || vote === 'helpful' }];
}

function statsJson({ learnings, overall, items }: Stats): unknown {
  return {
    learnings,
    lift: liftJson(overall),
    items: items.map(({ learningId, lift }) => ({ id: learningId, ...liftJson(lift) })),
  };
}

/** Absent is null: an estimate without enough data is none. */
function liftJson(lift: Lift): Record<string, number | null> {
  const { given, withheld } = lift;
  return lift.kind === 'measured'
    ? { lift: lift.lift, low: lift.low, high: lift.high, given, withheld }
    : { lift: null, low: null, high: null, given, withheld };
}

function render({ learnings, overall, items }: Stats, { out }: CliContext): string {
  const paint = createPaint(out.hasColour);
  const counts = Object.entries(learnings).map(([status, count]) => `${count} ${status}`);
  const head = `Learnings: ${counts.join(', ')}\nLift of memory: ${liftText(overall)}\n`;
  if (items.length === 0) return head;
  const columns = [
    { heading: 'LEARNING' },
    { heading: 'GIVEN' },
    { heading: 'WITHHELD' },
    { heading: 'LIFT', flexible: true },
  ];
  const rows = items
    .slice(0, shown)
    .map(({ learningId, lift }) => [
      learningId,
      String(lift.given),
      String(lift.withheld),
      liftText(lift),
    ]);
  const width = out.isTerminal ? out.columns : Infinity;
  const more = items.length > shown ? `and ${items.length - shown} more; --json has all\n` : '';
  return `${head}\n${renderTable(columns, rows, width, paint)}\n${more}`;
}

function liftText(lift: Lift): string {
  if (lift.kind === 'not-enough-data') {
    return `not enough data (${lift.given} given, ${lift.withheld} withheld)`;
  }
  return `${points(lift.lift)} points (${points(lift.low)} to ${points(lift.high)})`;
}

function points(share: number): string {
  return `${share < 0 ? '−' : '+'}${Math.abs(share * 100).toFixed(0)}`;
}
