import { matchesAny, matchesName } from '../text/glob.ts';
import { allChecks, createLevel, createReport, levelNames } from './report.ts';
import type { Check, VerificationReport } from './report.ts';
import { hasAsMany, lostTests, type TestInventory } from './test-inventory.ts';
import { uniqueViolations, violationKey, type Violation } from './violation.ts';

export type IntegrityMode = 'off' | 'warn' | 'strict';

export type IntegrityInput = {
  readonly mode: IntegrityMode;
  /** Verdict on the base; null when it was not judged. */
  readonly baseline: VerificationReport | null;
  /** The tests of the base by check, where their runner named all of them. */
  readonly inventory: Readonly<Record<string, TestInventory>>;
  /** The base's own tests run once more before the loop completes: they say what a renamed test is worth. */
  readonly confirms: boolean;
  /** Files of tests differ that `allow` names: tests may be gone with them. */
  readonly allowsTests: boolean;
  /** Programs in the worktree that can decide a verdict and are other files than before the first iteration. */
  readonly replaced: readonly string[];
  /** Configuration of runners that is new or changed, and hidden from git. */
  readonly hidden: readonly string[];
  /** `verify.allow`: globs for files and names of tests. */
  readonly allow: readonly string[];
  /** Keys of what a person approved. */
  readonly approved: readonly string[];
  /** Why the judge had to change, in the agent's own words; null: it says nothing of the kind. */
  readonly word: string | null;
};

/** The check `integrity`; null when nothing was weakened or nobody asks. `warn` tells without failing. */
export function judgeIntegrity(input: IntegrityInput, report: VerificationReport): Check | null {
  if (input.mode === 'off') return null;
  const found = findViolations(input, report);
  const approved = new Set(input.approved);
  const violations = found.filter((each) => !approved.has(violationKey(each)));
  if (violations.length > 0 && input.word !== null) return lifted(violations, input.word);
  if (violations.length > 0) return weakened(violations, input.mode === 'strict');
  return found.length === 0 ? null : accepted(found);
}

function weakened(violations: readonly Violation[], isStrict: boolean): Check {
  const output = [...violations.map(({ text }) => `- ${text}`), advice].join('\n');
  const check = integrityCheck(isStrict ? false : null, firstOf(violations), output);
  return { ...check, violations };
}

/** Proves nothing and hides nothing: what a person has accepted stays visible. */
function accepted(violations: readonly Violation[]): Check {
  const output = violations.map(({ text }) => `- ${text}`).join('\n');
  return integrityCheck(null, `accepted by a person: ${firstOf(violations)}`, output);
}

/** The agent says that the task asks for it: that is shown beside the result, which is unproven then. */
function lifted(violations: readonly Violation[], word: string): Check {
  const output = [...violations.map(({ text }) => `- ${text}`), `The agent says: ${word}`].join(
    '\n',
  );
  const reason = `the agent says why: ${firstOf(violations)}`;
  return { ...integrityCheck(null, reason, output), liftedByWord: true };
}

/** Whether only the agent's own word lifts what `integrity` found. */
export function isLiftedByWord(report: VerificationReport): boolean {
  return allChecks(report).some(({ check }) => check.liftedByWord === true);
}

function firstOf(violations: readonly Violation[]): string {
  const more = violations.length - 1;
  return `${violations[0]?.text ?? ''}${more > 0 ? `, and ${more} more` : ''}`;
}

function integrityCheck(passed: boolean | null, reason: string, output: string): Check {
  return {
    name: 'integrity',
    passed,
    output,
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

/** The report once a person has accepted everything that `integrity` found in it. */
export function acceptViolations(report: VerificationReport): VerificationReport {
  const levels = Object.fromEntries(
    levelNames.flatMap((name) => {
      const checks = report.levels[name]?.checks;
      if (checks === undefined) return [];
      const kept = checks.map((check) =>
        check.violations === undefined ? check : acceptedCheck(check, check.violations),
      );
      return [[name, createLevel(kept)]];
    }),
  );
  return { ...report, ...createReport(levels, report.tree, report.durationMs) };
}

const advice =
  'Put it back and make the checks pass by fixing the code. If the task itself asks for it, keep it and say why in your last message: <judge-changed>why</judge-changed>.';
const maxViolations = 50;

function findViolations(input: IntegrityInput, report: VerificationReport): readonly Violation[] {
  const found = [
    ...lostInRuns(input, report),
    ...input.replaced.map(replacedProgram),
    ...input.hidden.map(hiddenConfig),
  ];
  const standing = uniqueViolations(found).filter((each) => !isAllowed(each, input.allow));
  return standing.slice(0, maxViolations);
}

/** Only a check that does not fail is compared with what it ran on the base: a failing run may have stopped early. */
function lostInRuns(input: IntegrityInput, report: VerificationReport): readonly Violation[] {
  if (input.baseline === null || (input.confirms && input.allowsTests)) return [];
  const now = new Map(allChecks(report).map(({ check }) => [check.name, check]));
  return allChecks(input.baseline).flatMap(({ check: base }) => {
    const check = now.get(base.name);
    if (check === undefined || check.passed === false || check.command !== base.command) return [];
    const inventory = input.inventory[base.name] ?? null;
    const before = {
      check: base.name,
      counts: base.tests,
      sure: base.sureTests ?? null,
      inventory,
    };
    const after = {
      check: check.name,
      counts: check.tests,
      sure: null,
      inventory: check.inventory ?? null,
    };
    const isLeftToBase = input.confirms && hasAsMany(before, after);
    return lostTests(before, after).filter(
      ({ kind }) => !(isLeftToBase && kind === 'removed-test'),
    );
  });
}

function replacedProgram(program: string): Violation {
  const text = `the program ${program} is another one than before the first iteration`;
  return { kind: 'replaced-program', subject: program, file: program, text };
}

function hiddenConfig(file: string): Violation {
  const text = `${file} configures a runner, is not what it was before the first iteration, and is hidden from git`;
  return { kind: 'weakened-config', subject: file, file, text };
}

function isAllowed({ subject, file }: Violation, allow: readonly string[]): boolean {
  return (file !== null && matchesAny(file, allow)) || matchesName(subject, allow);
}

function acceptedCheck(
  { durationMs, evidence, outputHash }: Check,
  found: readonly Violation[],
): Check {
  const kept = { durationMs, evidence, ...(outputHash === undefined ? {} : { outputHash }) };
  return { ...accepted(found), ...kept };
}

/** The report with the finding among its checks; names of tests are left out, which only the base keeps. */
export function withIntegrity(
  report: VerificationReport,
  integrity: Check | null,
): VerificationReport {
  const levels = Object.fromEntries(
    levelNames.flatMap((name) => {
      const checks = (report.levels[name]?.checks ?? []).map(withoutInventory);
      const all = name === 'L1' && integrity !== null ? [...checks, integrity] : checks;
      return all.length === 0 ? [] : [[name, createLevel(all)]];
    }),
  );
  return { ...report, ...createReport(levels, report.tree, report.durationMs) };
}

function withoutInventory({ inventory: _names, ...check }: Check): Check {
  return check;
}

/** The tests by check that a verdict on a base carries. */
export function inventoryOfReport(
  report: VerificationReport,
): Readonly<Record<string, TestInventory>> {
  return Object.fromEntries(
    allChecks(report).flatMap(({ check }) =>
      check.inventory === undefined ? [] : [[check.name, check.inventory]],
    ),
  );
}

/** What a report says was weakened; empty when nothing was. */
export function violationsOf(report: VerificationReport): readonly Violation[] {
  return allChecks(report).flatMap(({ check }) => check.violations ?? []);
}
