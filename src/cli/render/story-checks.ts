import { firstError } from '../../core/verdict/error-line.ts';
import type { GateResult } from '../../core/verdict/gate.ts';
import { allChecks, type Check, type VerificationReport } from '../../core/verdict/report.ts';
import { parseTests } from '../../core/verdict/test-output/parse-tests.ts';
import type { Violation } from '../../core/verdict/violation.ts';
import { formatDuration, formatTests } from './format.ts';
import { detail, line, oneLine, type StoryLine } from './story-line.ts';

const shownTests = 3;

/** Every check with its verdict, and under a failing one what it says first. */
export function checkLines(report: VerificationReport): readonly StoryLine[] {
  return allChecks(report).flatMap(({ level, check }) => {
    if (check.violations !== undefined) return integrityLines(check, check.violations);
    const isLook = level === 'L0' || level === 'L3';
    return [isLook ? lookLine(check) : checkLine(check), ...failureLines(check)];
  });
}

/** A look at the files speaks up only when it found something. */
function lookLine(check: Check): StoryLine {
  if (check.passed === null) return line('warning', warningText(check), 'yellow');
  return { ...checkLine(check), isVerbose: check.passed };
}

function warningText({ name, reason }: Check): string {
  return `${name}: ${(reason ?? '').replace(/^warning: /, '')}`;
}

/** A gate with its verdict, and under a failing one what it says first. */
export function gateLines(result: GateResult): readonly StoryLine[] {
  const { name, passed, reason, durationMs, output } = result;
  const said = `${passed ? '✓' : '✗'} ${oneLine(name, 60)} ${passed ? 'passed' : 'failed'}`;
  const text = `${said} in ${formatDuration(durationMs)} · ${reason}`;
  // Of a red-first run it is the missing failures that speak.
  const error = passed || result.type === 'red-first' ? null : errorOf(output);
  return [line('gate', text, passed ? 'green' : 'red'), ...(error === null ? [] : [detail(error)])];
}

const shownViolations = 6;

/** The one line nobody should miss, and under it what was done. */
function integrityLines(check: Check, violations: readonly Violation[]): readonly StoryLine[] {
  const isFailure = check.passed === false;
  const text = isFailure
    ? '✗ integrity failed: what judges the work is not what it was, so this counts as no pass'
    : '! integrity warns: what judges the work is not what it was';
  const more = violations.length - shownViolations;
  return [
    line('judge', text, isFailure ? 'red' : 'yellow'),
    ...violations.slice(0, shownViolations).map((violation) => detail(`✗ ${violation.text}`)),
    ...(more > 0 ? [detail(`and ${more} more`)] : []),
  ];
}

function checkLine(check: Check): StoryLine {
  const parts = [
    `${verdict(check)} in ${formatDuration(check.durationMs)}`,
    check.tests === null ? null : formatTests(check.tests),
    check.passed === true ? null : check.reason,
    retriesText(check),
  ];
  const text = parts.filter((part) => part !== null).join(' · ');
  return line('check', text, check.passed === null ? 'yellow' : check.passed ? 'green' : 'red');
}

function retriesText({ earlierRuns = [] }: Check): string | null {
  return earlierRuns.length === 0 ? null : `run ${earlierRuns.length + 1} times`;
}

/** The icon is never alone: the word says the same. */
function verdict({ name, passed }: Check): string {
  if (passed === null) return `– ${oneLine(name, 60)} skipped`;
  return passed ? `✓ ${oneLine(name, 60)} passed` : `✗ ${oneLine(name, 60)} failed`;
}

function failureLines(check: Check): readonly StoryLine[] {
  if (check.passed !== false) return [];
  const named = check.failingTests.slice(0, shownTests).map((name) => detail(`✗ ${name}`));
  const more = check.failingTests.length - named.length;
  const error = check.failures?.[0]?.message || errorOf(check.output);
  return [
    ...named,
    ...(more > 0 ? [detail(`and ${more} more`)] : []),
    ...(error === null || error === check.reason ? [] : [detail(error)]),
  ];
}

/** The error of the first failing test, else the line that says best what is wrong. */
function errorOf(output: string): string | null {
  const message = parseTests(output).failures.find((each) => each.message !== '')?.message;
  return message ?? firstError(output);
}
