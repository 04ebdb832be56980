import { totalTokens } from '../agent/outcome.ts';
import type { BaseSummary, IterationSummary } from '../strategy/strategy.ts';
import { allChecks, reportTests, type Check, type VerificationReport } from '../verdict/report.ts';
import { endedNormally } from './agent-policy.ts';
import { noChanges } from './changes.ts';
import type { Iteration, Loop } from './loop.ts';

/** Iterations are never changed, and all of a loop are looked back on at the end of each: a long one would get slower. */
const known = new WeakMap<Iteration, IterationSummary>();

/** An iteration as strategies see it. */
export function summarise(iteration: Iteration): IterationSummary {
  const summary = known.get(iteration) ?? summaryOf(iteration);
  known.set(iteration, summary);
  return summary;
}

function summaryOf(iteration: Iteration): IterationSummary {
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
    ...resultsOf(report),
    failures: report === null ? [] : failures(report),
    signatures: report === null ? [] : signatures(report),
  };
}

type Results = Pick<IterationSummary, 'tests' | 'checkScores' | 'coverage'>;

/** What the checks measured. A judge that was weakened measures nothing: its tests are not counted, its scores are 0. */
function resultsOf(report: VerificationReport | null): Results {
  if (report === null) return { tests: null, checkScores: {}, coverage: null };
  const scores = checkScores(report);
  const isWeakened = allChecks(report).some(
    ({ check }) => check.violations !== undefined && check.passed === false,
  );
  if (isWeakened) {
    const none = Object.fromEntries(Object.keys(scores).map((name) => [name, 0]));
    return { tests: null, checkScores: none, coverage: null };
  }
  return { tests: reportTests(report), checkScores: scores, coverage: coverageOf(report) };
}

/** What the first iteration is compared with. */
export function summariseBase(loop: Loop): BaseSummary {
  const tree = loop.iterations[0]?.startTree ?? null;
  return { tree, ...resultsOf(loop.baseline?.report ?? null) };
}

/** Mean over the checks that measured it; null when none did. */
function coverageOf(report: VerificationReport): number | null {
  const values = allChecks(report).flatMap(({ check }) => check.coverage ?? []);
  return values.length === 0 ? null : values.reduce((sum, each) => sum + each, 0) / values.length;
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
