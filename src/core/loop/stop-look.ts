import type { StopTest } from '../config/section/stop.ts';
import { progressOfEach } from '../strategy/activity.ts';
import type { IterationSummary } from '../strategy/strategy.ts';
import { reportTests } from '../verdict/report.ts';
import { budgetUse } from './budget.ts';
import { summariseBase, summariseHistory } from './iteration-summary.ts';
import { countedIterations, lastIteration, type Loop } from './loop.ts';

/** What the owner of a loop knows beside its log. */
export type StopFacts = {
  /** Working time so far, the iteration under judgement included. */
  readonly activeMs: number;
  /** A person has asked the loop to stop. */
  readonly isAskedToStop: boolean;
};

/**
 * What a loop says by itself about a condition, once the end of the iteration it is about is part of it. Null: only a look
 * at files, at output or at a program can say.
 */
export function answerFromLoop(loop: Loop, test: StopTest, facts: StopFacts): boolean | null {
  switch (test.on) {
    case 'max-iterations':
      return countedIterations(loop) >= test.value;
    case 'max-duration':
      return facts.activeMs >= test.value;
    case 'test-failure-streak':
      return streak(summariseHistory(loop), hasFailingTests) >= test.value;
    case 'no-progress': {
      const each = progressOfEach(summariseHistory(loop), { base: summariseBase(loop) });
      return streak(each, ({ progress }) => !progress) >= test.value;
    }
    case 'all-tests-pass': {
      const report = lastIteration(loop)?.report ?? null;
      const tests = report === null ? null : reportTests(report);
      return tests !== null && tests.total > 0 && tests.failed === 0;
    }
    case 'on-error': {
      const outcome = lastIteration(loop)?.outcome ?? null;
      if (outcome !== 'error' && outcome !== 'timed_out') return false;
      return test.pattern === undefined ? true : null;
    }
    case 'user-signal':
      return facts.isAskedToStop;
    case 'budget':
      return budgetUse({ ...loop, activeMs: facts.activeMs }).some(
        ({ used, limit }) => used >= (limit * test.percent) / 100,
      );
    case 'specific-tests-pass':
    case 'file-created':
    case 'file-contains':
    case 'output-pattern':
    case 'script':
      return null;
  }
}

/** A check that prints no test counts is one test. */
function hasFailingTests({ tests, verificationPassed }: IterationSummary): boolean {
  return tests === null || tests.total === 0 ? verificationPassed === false : tests.failed > 0;
}

/** How many at the end of the list it holds for, without a break. */
function streak<T>(items: readonly T[], holds: (item: T) => boolean): number {
  return items.length - 1 - items.findLastIndex((item) => !holds(item));
}
