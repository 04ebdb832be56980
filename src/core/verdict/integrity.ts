import { reportTests, type Check, type VerificationReport } from './report.ts';

export type IntegrityMode = 'off' | 'warn' | 'strict';

/**
 * The check `integrity`: tests that ran on the base must still run. Fewer of them, or none that can be recognised, is a
 * weaker judge. Null when there is nothing to compare or nothing was lost; `warn` tells without failing.
 */
export function judgeIntegrity(
  mode: IntegrityMode,
  baseline: VerificationReport | null,
  report: VerificationReport,
): Check | null {
  const before = baseline === null ? null : reportTests(baseline);
  if (mode === 'off' || before === null || before.total === 0) return null;
  const now = reportTests(report);
  if (now !== null && now.total >= before.total) return null;
  // A run that fails for another reason may have stopped before its tests.
  if (!report.overall.passed) return null;
  const reason =
    now === null
      ? `${before.total} tests ran on the base, and now none can be recognised`
      : `${before.total} tests ran on the base, and now only ${now.total}`;
  return {
    name: 'integrity',
    passed: mode === 'strict' ? false : null,
    output: `${reason}. Tests must not be removed to make the checks pass; put them back.`,
    durationMs: 0,
    command: null,
    exitCode: null,
    reason,
    tests: null,
    failingTests: [],
    signature: null,
    evidence: null,
  };
}
