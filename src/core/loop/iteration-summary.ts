import { totalTokens } from '../agent/outcome.ts';
import type { IterationSummary } from '../strategy/strategy.ts';
import { allChecks, reportTests, type Check, type VerificationReport } from '../verdict/report.ts';
import { endedNormally } from './agent-policy.ts';
import { noChanges } from './changes.ts';
import type { Iteration, Loop } from './loop.ts';

/** An iteration as strategies see it. */
export function summarise(iteration: Iteration): IterationSummary {
  const { report, agent } = iteration;
  return {
    iteration: iteration.number,
    agentSuccess: agent !== null && endedNormally(agent.kind) && agent.kind !== 'refused',
    verificationPassed: report?.overall.passed ?? null,
    durationMs: iteration.durationMs ?? 0,
    tokensUsed: iteration.tokens === null ? null : totalTokens(iteration.tokens),
    costUsd: iteration.costUsd,
    changes: iteration.changes ?? noChanges,
    tree: iteration.tree,
    tests: report === null ? null : reportTests(report),
    checkScores: report === null ? {} : checkScores(report),
    failures: report === null ? [] : failures(report),
    signatures: report === null ? [] : signatures(report),
  };
}

/** The iterations a strategy looks back on: ended, and neither interrupted nor skipped. Oldest first. */
export function summariseHistory(loop: Loop): readonly IterationSummary[] {
  return loop.iterations
    .filter(
      ({ endedAt, status }) => endedAt !== null && status !== 'interrupted' && status !== 'skipped',
    )
    .map(summarise);
}

function checkScores(report: VerificationReport): Record<string, number> {
  const scored = allChecks(report).flatMap(({ level, check }) =>
    // A look that found nothing is no step forward.
    check.passed === null || (check.passed && check.command === null)
      ? []
      : [[`${level}/${check.name}`, score(check)] as const],
  );
  return Object.fromEntries(scored);
}

function score({ passed, tests }: Check): number {
  if (passed === true) return 1;
  if (tests === null || tests.total === 0) return 0;
  return tests.passed / tests.total;
}

function failures(report: VerificationReport): readonly string[] {
  return allChecks(report)
    .filter(({ check }) => check.passed === false)
    .flatMap(({ level, check }) => [
      `${level}/${check.name}`,
      ...check.failingTests.map((test) => `${level}/${check.name}: ${test}`),
    ])
    .toSorted();
}

function signatures(report: VerificationReport): IterationSummary['signatures'] {
  return allChecks(report).flatMap(({ check }) =>
    check.passed === false && check.signature !== null ? [check.signature] : [],
  );
}
