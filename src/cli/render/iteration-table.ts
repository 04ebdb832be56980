import { countChanged } from '../../core/loop/changes.ts';
import type { Iteration, Loop } from '../../core/loop/loop.ts';
import { allChecks, reportTests } from '../../core/verdict/report.ts';
import { formatCost, formatDuration } from './format.ts';
import type { Paint } from './paint.ts';
import { oneLine } from './story-line.ts';
import { renderTable, type Cell, type Column } from './table.ts';

const columns: readonly Column[] = [
  { heading: 'IT', align: 'right' },
  { heading: 'OUTCOME' },
  { heading: 'FILES', align: 'right' },
  { heading: 'TESTS' },
  { heading: 'CHECKS' },
  { heading: 'COST', align: 'right' },
  { heading: 'TIME', align: 'right' },
  { heading: 'DECISION', flexible: true },
];

/** One line per iteration: what came of it and what was decided. */
export function renderIterations(loop: Loop, width: number, paint: Paint): string {
  const hasPasses = loop.iterations.some(({ pass }) => pass !== undefined);
  if (!hasPasses) return renderTable(columns, loop.iterations.map(iterationCells), width, paint);
  const [number, ...rest] = columns;
  const cells = loop.iterations.map((iteration) => {
    const [first = '', ...others] = iterationCells(iteration);
    return [first, iteration.pass ?? '', ...others];
  });
  const withPass = [...(number === undefined ? [] : [number]), { heading: 'PASS' }, ...rest];
  return renderTable(withPass, cells, width, paint);
}

function iterationCells(iteration: Iteration): readonly Cell[] {
  const { changes, costUsd, durationMs, decision } = iteration;
  return [
    String(iteration.number),
    outcomeCell(iteration),
    changes === null ? '' : String(countChanged(changes)),
    testsText(iteration),
    checksCell(iteration),
    iteration.unpriced === true ? 'unknown' : costUsd === null ? '' : formatCost(costUsd),
    durationMs === null ? '' : formatDuration(durationMs),
    decision === null ? oneLine(iteration.why ?? '') : decisionText(decision),
  ];
}

function outcomeCell({ outcome, status }: Iteration): Cell {
  if (status === 'skipped') return { text: status, style: 'yellow' };
  if (outcome === null || status === 'post_hooks') return { text: status, style: 'cyan' };
  if (outcome === 'done') return { text: outcome, style: 'green' };
  return { text: outcome, style: outcome === 'interrupted' ? 'yellow' : 'red' };
}

function testsText({ report }: Iteration): string {
  const tests = report === null ? null : reportTests(report);
  return tests === null ? '' : `${tests.passed}/${tests.total - tests.skipped}`;
}

/** All passed, or the names of those that did not. */
function checksCell({ report }: Iteration): Cell {
  if (report === null) return '';
  if (report.overall.passed) return { text: '✓ passed', style: 'green' };
  const failing = allChecks(report).filter(({ check }) => check.passed === false);
  const names = failing.map(({ check }) => oneLine(check.name, 20)).join(', ');
  return names === ''
    ? { text: '– no proof', style: 'yellow' }
    : { text: `✗ ${names}`, style: 'red' };
}

function decisionText({
  continue: goesOn,
  reason,
  end,
}: NonNullable<Iteration['decision']>): string {
  return `${goesOn ? 'go on' : (end?.status ?? 'end')}: ${oneLine(reason, 200)}`;
}
