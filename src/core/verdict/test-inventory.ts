import { headChars } from '../text/code-points.ts';
import type { TestCounts } from './report.ts';
import type { TestRun, TestStatus } from './test-output/test-run.ts';
import type { Violation } from './violation.ts';

/** The tests of one check by name. Absent when the runner did not print the name of every test. */
export type TestInventory = {
  readonly ran: readonly string[];
  readonly skipped: readonly string[];
};

const maxNameChars = 200;

/**
 * Null when the names do not account for every test that was counted, or would not be those of a run that passes. Where
 * files could not be loaded or hooks failed, failures stand for other things than tests, and only passed tests are named.
 */
export function inventoryOf(run: TestRun): TestInventory | null {
  if (run.total === 0 || run.tests.length !== run.total || showsOnlyFailures(run)) return null;
  const isDoubtful = hasOtherFailures(run);
  const named = (isIn: (status: TestStatus) => boolean) =>
    run.tests.filter(({ status }) => isIn(status)).map(({ name }) => headChars(name, maxNameChars));
  return {
    ran: named((status) => status === 'passed' || (status !== 'skipped' && !isDoubtful)),
    skipped: named((status) => status === 'skipped'),
  };
}

/** How many tests a later run that passes must show at least; null when that is as many as ran. */
export function sureTestsOf(run: TestRun): number | null {
  if (showsOnlyFailures(run)) return 0;
  return hasOtherFailures(run) ? run.passed : null;
}

/** Nothing but failures and no summary: what a runner prints that is silent about tests that pass. */
function showsOnlyFailures({
  showsOnlyFailures: isKnown,
  incomplete,
  passed,
  skipped,
}: TestRun): boolean {
  return isKnown === true || (incomplete && passed + skipped === 0);
}

/** A file that cannot be loaded, a hook, or a part of a test that runners name only when it fails. */
function hasOtherFailures({ errors, tests }: TestRun): boolean {
  return (
    errors.length > 0 ||
    tests.some(
      ({ status, name }) => status === 'error' || (status === 'failed' && otherFailure.test(name)),
    )
  );
}

/** mocha and ava, bats, unittest (classes and subtests), qunit, deno. */
const otherFailure =
  /\b(?:before|after)(?: all| each|All|Each)?"? hook\b|\b(?:setup|teardown)_(?:file|suite) failed|\b(?:setUp|tearDown)(?:Class|Module)\b|\) (?:\([^()]{0,200}\)|\[[^[\]]{0,200}\])$|\bglobal failure$|> Failed to load the test file|\(uncaught error\)$/;

export type CheckTests = {
  readonly check: string;
  readonly counts: TestCounts | null;
  /** See `sureTestsOf`. */
  readonly sure: number | null;
  readonly inventory: TestInventory | null;
};

/** What a check lost of the tests it had on the base. Names are compared where both runs have them, numbers always. */
export function lostTests(base: CheckTests, now: CheckTests): readonly Violation[] {
  const before = base.counts;
  if (before === null || before.total === 0 || base.sure === 0) return [];
  if (now.counts === null || now.counts.total === 0) return [noTests(base.check, before.total)];
  const named =
    base.inventory === null || now.inventory === null
      ? []
      : lostNames(base.inventory, now.inventory);
  if (named.length > 0) return named;
  const ranNow = now.counts.passed + now.counts.failed;
  if (base.sure !== null && ranNow >= base.sure) return [];
  if (ranNow >= before.passed + before.failed && now.counts.total >= before.total) return [];
  return [fewerTests(base.check, before, now.counts)];
}

/** As many tests ran as on the base, so that one that is gone has another in its place. */
export function hasAsMany(base: CheckTests, now: CheckTests): boolean {
  if (base.counts === null || now.counts === null) return false;
  return now.counts.passed + now.counts.failed >= base.counts.passed + base.counts.failed;
}

function lostNames(base: TestInventory, now: TestInventory): readonly Violation[] {
  const ran = countNames(now.ran);
  const skipped = countNames(now.skipped);
  // What was skipped before may stay so: it does not stand for a test that ran.
  for (const name of base.skipped) take(skipped, name);
  const missing = base.ran.filter((name) => !take(ran, name));
  return missing.flatMap((name): Violation[] => {
    if (take(skipped, name)) {
      const text = `the test ${quoted(name)} ran on the base and is skipped now`;
      return [{ kind: 'skipped-test', subject: name, file: null, text }];
    }
    if (takeRelated(ran, name)) return [];
    const text = `the test ${quoted(name)} ran on the base and is gone`;
    return [{ kind: 'removed-test', subject: name, file: null, text }];
  });
}

/** The same test under a suite around it, out of one, in another file, or with parameters. */
function takeRelated(counts: Map<string, number>, name: string): boolean {
  const wanted = leafOf(stableName(name));
  for (const [key, left] of counts) {
    if (left === 0) continue;
    const leaf = leafOf(key);
    const isSame = leaf === wanted || leaf.endsWith(` ${wanted}`) || wanted.endsWith(` ${leaf}`);
    if (!isSame && !isParametrised(leaf, wanted)) continue;
    counts.set(key, left - 1);
    return true;
  }
  return false;
}

/** `adds` became `adds[1-2]`, `adds (1, 2)`, `adds: 1 and 2` or `adds 1 and 2`. */
function isParametrised(leaf: string, wanted: string): boolean {
  return leaf.startsWith(wanted) && /^[ ([:#/_-]/.test(leaf.slice(wanted.length));
}

const separators = ['::', ' > ', ' › ', ' » ', ' ▸ '];

/** The last part of a name that its suites and files stand before. */
function leafOf(name: string): string {
  const ends = separators.flatMap((each) => {
    const at = name.lastIndexOf(each);
    return at === -1 ? [] : at + each.length;
  });
  return name.slice(Math.max(0, ...ends));
}

/** A name without what may differ between two runs of the same test. */
function stableName(name: string): string {
  return name
    .replaceAll(/[0-9]+/g, '#')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function countNames(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) {
    const key = stableName(name);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

function take(counts: Map<string, number>, name: string): boolean {
  const key = stableName(name);
  const left = counts.get(key) ?? 0;
  if (left === 0) return false;
  counts.set(key, left - 1);
  return true;
}

function noTests(check: string, total: number): Violation {
  const text = `${total} tests ran on the base, and now none can be recognised`;
  return { kind: 'fewer-tests', subject: check, file: null, text };
}

function fewerTests(check: string, before: TestCounts, now: TestCounts): Violation {
  const ranBefore = before.passed + before.failed;
  const ranNow = now.passed + now.failed;
  const text =
    now.total < before.total
      ? `${before.total} tests ran on the base, and now only ${now.total}`
      : `${ranBefore} tests ran on the base, and now only ${ranNow}: ${now.skipped} are skipped`;
  return { kind: 'fewer-tests', subject: check, file: null, text };
}

function quoted(name: string): string {
  return `"${headChars(name, 120)}"`;
}
