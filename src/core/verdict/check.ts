import { plainText } from '../text/terminal.ts';
import { bothEnds, type Check, packagesOf, plainCounts, type TestCounts } from './report.ts';
import { readCoverage } from './coverage.ts';
import { describeFailures } from './failing-test.ts';
import { failureSignature } from './signature.ts';
import { inventoryOf, sureTestsOf } from './test-inventory.ts';
import { parseTests } from './test-output/parse-tests.ts';

/** How a check's process ended, as plain data; the same cases as the process port's. */
export type CheckEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string }
  | { readonly kind: 'timed-out'; readonly afterMs: number }
  | { readonly kind: 'hung'; readonly idleMs: number }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'ended-after-result' }
  | { readonly kind: 'not-started'; readonly error: string; readonly code: string };

export type CheckRun = {
  readonly name: string;
  readonly command: string;
  readonly successExitCode: number;
  readonly end: CheckEnd;
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
  readonly parseTests: boolean;
  /** What tests are looked for in where it is more than the streams above; else those are. */
  readonly testOutput?: string;
  readonly evidence: string | null;
};

const keptNames = 50;

/**
 * The verdict on one executed check. The exit code must match; parsed test counts can only lower the verdict:
 * failures or an unloadable suite fail it, a recognised runner with no tests or cut-off output proves nothing.
 */
export function judgeCheck(run: CheckRun): Check {
  const raw = [run.stdout, run.stderr].filter((text) => text !== '').join('\n');
  const tests = run.parseTests ? parseTests(run.testOutput ?? raw) : null;
  const output = plainText(raw);
  const verdict = verdictOf(run, tests);
  const recognised = tests !== null && tests.framework !== null && tests.total > 0;
  const inventory = recognised ? inventoryOf(tests) : null;
  const sureTests = recognised ? sureTestsOf(tests) : null;
  const failures = recognised ? describeFailures(tests, output) : [];
  const coverage = run.parseTests ? readCoverage(output) : null;
  return {
    name: run.name,
    passed: verdict.passed,
    output: bothEnds(output),
    durationMs: run.durationMs,
    command: run.command,
    exitCode: run.end.kind === 'exited' ? run.end.code : null,
    reason: verdict.reason,
    tests: recognised ? counts(tests) : null,
    failingTests: recognised ? tests.failures.slice(0, keptNames).map(({ name }) => name) : [],
    // Without a single error the output says more.
    ...(failures.some(({ message }) => message !== '') ? { failures } : {}),
    signature: verdict.passed === false ? failureSignature(output) : null,
    evidence: run.evidence,
    ...(coverage === null ? {} : { coverage }),
    ...(sureTests === null ? {} : { sureTests }),
    ...(inventory === null ? {} : { inventory }),
    ...(verdict.passed === false && tests !== null && hasNoTests(tests, output)
      ? { noTests: true }
      : {}),
  };
}

const noTests =
  /\bno tests? (?:files? )?(?:ran|found|were found|executed|collected)|\bno test files\b|\bRan 0 tests\b|\b0 examples\b|\bcollected 0 items\b|\bNOTESTS\b/i;

/** The runner started, found nothing to run and says so: it fails for that and for nothing else. */
function hasNoTests(
  { framework, total, errors, incomplete }: ReturnType<typeof parseTests>,
  output: string,
): boolean {
  const isEmpty = framework !== null && total === 0 && errors.length === 0 && !incomplete;
  return isEmpty && noTests.test(output);
}

type Verdict = { readonly passed: boolean | null; readonly reason: string | null };

function verdictOf(run: CheckRun, tests: ReturnType<typeof parseTests> | null): Verdict {
  const ended = endReason(run);
  if (ended !== null) return { passed: false, reason: ended };
  if (tests === null || tests.framework === null) return { passed: true, reason: null };
  if (tests.failed > 0) {
    const noun = tests.packages === tests.total ? 'packages' : 'tests';
    return { passed: false, reason: `exit code is right, but ${tests.failed} ${noun} failed` };
  }
  if (tests.errors.length > 0) {
    return { passed: false, reason: `exit code is right, but a suite could not be loaded` };
  }
  if (tests.incomplete)
    return { passed: null, reason: `the output of ${tests.framework} is cut off` };
  if (tests.total === 0) return { passed: null, reason: `${tests.framework} ran no tests` };
  return { passed: true, reason: null };
}

/** Why the ending itself is a failure; null when the expected exit code came. */
export function endReason({
  end,
  successExitCode,
  command,
}: Pick<CheckRun, 'end' | 'successExitCode' | 'command'>): string | null {
  switch (end.kind) {
    case 'exited':
      if (end.code === successExitCode) return null;
      if (end.code === 127) return `command not found: ${command}`;
      if (end.code === 126) return `command cannot be executed: ${command}`;
      return `exit code ${end.code}, expected ${successExitCode}`;
    case 'signalled':
      return `ended by ${end.signal}`;
    case 'timed-out':
      return `timed out after ${Math.round(end.afterMs / 1000)} s`;
    case 'hung':
      return `did nothing for ${Math.round(end.idleMs / 1000)} s`;
    case 'cancelled':
      return 'cancelled';
    case 'ended-after-result':
      return 'did not end by itself';
    case 'not-started':
      return `could not be started: ${end.error}`;
  }
}

function counts(tests: TestCounts): TestCounts {
  return { ...plainCounts(tests), ...packagesOf(tests.packages ?? 0) };
}
