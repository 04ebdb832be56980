import type { Loop } from '../../core/loop/loop.ts';
import { loopTotals } from '../../protocol/loop-detail.ts';
import { plural } from './format.ts';

/** One line over all iterations. */
export function renderTotals(loop: Loop): string {
  const totals = loopTotals(loop.iterations);
  const parts = [
    plural(totals.iterations, 'iteration'),
    `${totals.successful} passed`,
    totals.failed === 0 ? null : `${totals.failed} failed`,
    totals.timedOut === 0 ? null : `${totals.timedOut} timed out`,
    `${plural(totals.filesCreated, 'file')} created`,
    `${totals.filesModified} modified`,
    totals.testsRun === 0
      ? null
      : `${totals.testsPassed} of ${plural(totals.testsRun, 'test run')} passed`,
    totals.failureStreak === 0 ? null : `${totals.failureStreak} failures in a row`,
  ];
  return `totals: ${parts.filter((part) => part !== null).join(', ')}\n`;
}
