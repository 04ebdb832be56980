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
  incomplete: boolean;
  /** Only what fails is shown: the counts and names say nothing about a run that passes. */
  showsOnlyFailures?: true;
  readonly errors: string[];
  readonly tests: TestDetail[];
  readonly failures: TestFailure[];
  readonly failureIndex: Map<string, number>;
};

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
    incomplete: false,
    errors: [],
    tests: [],
    failures: [],
    failureIndex: new Map(),
  };
}

export function addTest(
  draft: Draft,
  name: string,
  status: TestStatus,
  durationMs: number | null = null,
): void {
  if (draft.tests.length >= maxDetails) return;
  draft.tests.push({ name: headChars(name, maxNameChars), status, durationMs, error: null });
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

/** Keeps the first message for each failing test; a later one fills in only where the first was empty. */
export function addFailure(draft: Draft, fullName: string, text: string): void {
  const name = headChars(fullName, maxNameChars);
  const message = headChars(text.trim(), maxMessageChars);
  const index = draft.failureIndex.get(name);
  if (index !== undefined) {
    if (draft.failures[index]?.message === '') draft.failures[index] = { name, message };
    return;
  }
  if (draft.failures.length >= maxDetails) return;
  draft.failureIndex.set(name, draft.failures.length);
  draft.failures.push({ name, message });
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
  const messages = new Map(draft.failures.map(({ name, message }) => [name, message || null]));
  const named = new Set(draft.tests.filter(isFailing).map(({ name }) => name));
  const tests = draft.tests.map((test): TestDetail => {
    const error = messages.get(test.name) ?? null;
    if (isFailing(test)) return { ...test, error };
    if (!messages.has(test.name) || named.has(test.name)) return test;
    // It passed, and then its teardown failed.
    named.add(test.name);
    return { ...test, status: 'error', error };
  });
  for (const [name, error] of messages) {
    if (named.has(name) || tests.length >= maxDetails) continue;
    tests.push({ name, status: 'failed', durationMs: null, error });
  }
  return tests;
}
