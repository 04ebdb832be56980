import { headChars } from '../../text/code-points.ts';
import type { TestDetail, TestFailure, TestStatus } from './test-run.ts';

/** One run of one runner while its output is being read. Readers own and change it; nobody else does. */
export type Draft = {
  framework: string;
  /** First and last line that belong to the run, to tell a run from text printed inside another run. */
  first: number;
  last: number;
  /** The run shows more than a bare summary: a header, files or tests. A bare one yields to any that does, unless it is solid. */
  anchored: boolean;
  /** A bare summary of a runner that may print nothing else: it yields only to a run around it. */
  isSolid: boolean;
  passed: number;
  failed: number;
  skipped: number;
  /** How many of the counted are packages, whose tests the runner does not name. */
  packages: number;
  /** It is known by marks alone, which many tools print: it says nothing about what stands below. */
  isLoose?: true;
  incomplete: boolean;
  /** Only what fails is shown: the counts and names say nothing about a run that passes. */
  showsOnlyFailures?: true;
  readonly errors: string[];
  readonly tests: TestDetail[];
  readonly failures: TestFailure[];
  readonly twins: Map<string, Twins>;
};

/** The failing tests of one name: how many there are, and where they stand in `failures`. */
type Twins = { failing: number; readonly entries: number[]; filled: number };

export type Counts = { readonly passed: number; readonly failed: number; readonly skipped: number };

export const maxDetails = 1000;
const maxErrors = 100;
const maxNameChars = 1000;
const maxMessageChars = 2000;

export function createDraft(framework: string, line: number): Draft {
  return {
    framework,
    first: line,
    last: line,
    anchored: false,
    isSolid: false,
    passed: 0,
    failed: 0,
    skipped: 0,
    packages: 0,
    incomplete: false,
    errors: [],
    tests: [],
    failures: [],
    twins: new Map(),
  };
}

export function addTest(
  draft: Draft,
  name: string,
  status: TestStatus,
  durationMs: number | null = null,
): void {
  if (draft.tests.length >= maxDetails) return;
  const test: TestDetail = {
    name: headChars(name, maxNameChars),
    status,
    durationMs,
    error: null,
  };
  draft.tests.push(test);
  if (isFailing(test)) twinsOf(draft, test.name).failing++;
}

function twinsOf({ twins }: Draft, name: string): Twins {
  const known = twins.get(name) ?? { failing: 0, entries: [], filled: 0 };
  twins.set(name, known);
  return known;
}

/** Takes over what a part of the run told. */
export function mergeInto(draft: Draft, { tests, failures, errors }: Draft): void {
  for (const { name, status, durationMs } of tests) addTest(draft, name, status, durationMs);
  for (const { name, message } of failures) addReport(draft, name, message);
  for (const error of errors) addError(draft, error);
}

/** Takes over what the runner itself counted. */
export function setCounts(draft: Draft, counts: Counts, line: number): void {
  draft.passed = Math.max(0, counts.passed);
  draft.failed = counts.failed;
  draft.skipped = counts.skipped;
  draft.last = Math.max(draft.last, line);
}

/**
 * Counts that come without a header, behind a run that had one and was already ended: what ended it was printed by a
 * test, or this is. The worse of both holds, the later one where they are alike.
 */
export function takeWorse(before: Draft, later: Draft): void {
  if (later.failed + later.errors.length < before.failed + before.errors.length) return;
  setCounts(before, later, later.last);
  before.incomplete = later.incomplete;
  for (const { name, message } of later.failures) addFailure(before, name, message);
  for (const error of later.errors) addError(before, error);
}

/** Counts one test and keeps its detail. */
export function countTest(
  draft: Draft,
  name: string,
  status: TestStatus,
  durationMs: number | null = null,
): void {
  if (status === 'passed') draft.passed++;
  else if (status === 'skipped') draft.skipped++;
  else draft.failed++;
  addTest(draft, name, status, durationMs);
}

/**
 * Keeps the first message for each failing test; a later one fills in where an earlier was empty. Tests of the same name
 * have one each, as many as are known to have failed.
 */
export function addFailure(draft: Draft, fullName: string, text: string): void {
  const name = headChars(fullName, maxNameChars);
  const { failing, entries } = twinsOf(draft, name);
  if (fillEmpty(draft, name, text) || entries.length >= Math.max(1, failing)) return;
  pushFailure(draft, name, text);
}

/** Keeps what the runner's report says about one failing test, which it does once for each. */
export function addReport(draft: Draft, fullName: string, text: string): void {
  const name = headChars(fullName, maxNameChars);
  if (!fillEmpty(draft, name, text)) pushFailure(draft, name, text);
}

function fillEmpty(draft: Draft, name: string, text: string): boolean {
  const twins = twinsOf(draft, name);
  const isEmpty = (at: number): boolean => draft.failures[twins.entries[at] ?? -1]?.message === '';
  while (twins.filled < twins.entries.length && !isEmpty(twins.filled)) twins.filled++;
  const index = twins.entries[twins.filled];
  if (index === undefined || text.trim() === '') return false;
  draft.failures[index] = { name, message: messageOf(text) };
  return true;
}

function pushFailure(draft: Draft, name: string, text: string): void {
  if (draft.failures.length >= maxDetails) return;
  twinsOf(draft, name).entries.push(draft.failures.length);
  draft.failures.push({ name, message: messageOf(text) });
}

function messageOf(text: string): string {
  return headChars(text.trim(), maxMessageChars);
}

/** Replaces the message of the last failing test of that name. */
export function replaceMessage(draft: Draft, name: string, text: string): void {
  const index = draft.twins.get(name)?.entries.at(-1);
  if (index !== undefined) draft.failures[index] = { name, message: messageOf(text) };
}

/** How far a run was read: what was counted behind it can be taken back. */
export type Mark = { readonly failed: number; readonly tests: number; readonly failures: number };

export function markOf({ failed, tests, failures }: Draft): Mark {
  return { failed, tests: tests.length, failures: failures.length };
}

/** Counts what failed behind the mark as skipped: it was expected to fail. */
export function forgive(draft: Draft, mark: Mark): void {
  draft.skipped += draft.failed - mark.failed;
  draft.failed = mark.failed;
  for (const { name } of draft.failures.splice(mark.failures)) draft.twins.delete(name);
  for (const [at, test] of draft.tests.slice(mark.tests).entries()) {
    if (isFailing(test)) draft.tests[mark.tests + at] = { ...test, status: 'skipped' };
  }
}

export function addError(draft: Draft, text: string): void {
  const message = headChars(text.trim(), maxMessageChars);
  if (draft.errors.length < maxErrors && !draft.errors.includes(message))
    draft.errors.push(message);
}

function isFailing({ status }: TestDetail): boolean {
  return status === 'failed' || status === 'error';
}

/** The details, each failing one with its first error; failing tests the runner named only in its report are added. */
export function finishedTests(draft: Draft): TestDetail[] {
  const messages = Map.groupBy(draft.failures, ({ name }) => name);
  const used = new Map<string, number>();
  const named = new Set(draft.tests.filter(isFailing).map(({ name }) => name));
  const errorOf = (name: string): string | null => {
    const at = used.get(name) ?? 0;
    used.set(name, at + 1);
    const known = messages.get(name) ?? [];
    return (known[at] ?? known.at(-1))?.message || null;
  };
  const tests = draft.tests.map((test): TestDetail => {
    if (isFailing(test)) return { ...test, error: errorOf(test.name) };
    if (!messages.has(test.name) || named.has(test.name)) return test;
    // It passed, and then its teardown failed.
    named.add(test.name);
    return { ...test, status: 'error', error: errorOf(test.name) };
  });
  for (const [name, known] of messages) {
    for (const { message } of known.slice(used.get(name) ?? 0)) {
      if (tests.length >= maxDetails) return tests;
      tests.push({ name, status: 'failed', durationMs: null, error: message || null });
    }
  }
  return tests;
}
