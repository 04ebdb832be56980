import type { TestRun } from '../../verdict/test-output/test-run.ts';
import type { Tripwire, TripwireFile } from './plan.ts';
import type { Trap } from './template.ts';

export type TripwireRun = {
  readonly tests: TestRun;
  /** Whether the process ended as a check that passes does; null: it did not end by itself. */
  readonly endedWell: boolean | null;
};

export type TripwireVerdict = {
  readonly kind:
    /** Every test said what it must. */
    | 'held'
    /** A test that must fail is known to have passed. */
    | 'broken'
    /** The run passed, or did not show all of it, in a way that a runner which collects the file does not. */
    | 'odd'
    /** The run failed and does not tell. */
    | 'unknown';
  /** A sentence each. */
  readonly findings: readonly string[];
};

/** What a run with a tripwire says. `before` is the same run without it. */
export function judgeTripwire(
  tripwire: Tripwire,
  { tests, endedWell }: TripwireRun,
  before: TestRun,
): TripwireVerdict {
  const failed = namesOf(tests, (status) => status === 'failed' || status === 'error');
  for (const { name } of tests.failures) failed.push(name.toLowerCase());
  const passed = namesOf(tests, (status) => status === 'passed');
  const hasFailed = ({ token }: Trap) => failed.some((name) => name.includes(token));
  const hasPassed = ({ token }: Trap) => passed.some((name) => name.includes(token));
  const traps = tripwire.files.flatMap(({ mustFail }) => mustFail);
  const goods = tripwire.files.flatMap(({ mustPass }) => mustPass);
  const silent = traps.filter((trap) => !hasFailed(trap));
  const loaded = loadedText(tripwire.loaded);
  const wrong = accountsForAll(tripwire, tests, before, traps.length - silent.length)
    ? silent
    : silent.filter(hasPassed);
  if (wrong.length > 0) return { kind: 'broken', findings: wrong.map(passedText(loaded)) };
  const bad = goods.filter(hasFailed);
  if (bad.length > 0) return { kind: 'odd', findings: bad.map(({ says }) => `${says} ${loaded}`) };
  if (endedWell === null) return { kind: 'unknown', findings: [] };
  if (endedWell) {
    const text =
      silent.length === 0
        ? 'the run ended like one that passes, although tests in it failed,'
        : 'the run passed without a word of tests that must fail';
    return { kind: 'odd', findings: [`${text} ${loaded}`] };
  }
  if (silent.length === traps.length) return { kind: 'unknown', findings: [] };
  // A runner that stops at the first file that fails has not come to the others.
  const begun = tripwire.files.filter((file) => file.mustFail.some(hasFailed));
  const missing = begun.flatMap(({ mustFail }) => mustFail).filter((trap) => !hasFailed(trap));
  if (missing.length === 0) return { kind: 'held', findings: [] };
  return { kind: 'odd', findings: missing.map(passedText(loaded)) };
}

/**
 * With what the same file said beside the base's product. Only what is known to have passed needs no such word, and counts for
 * nothing where the base lets it pass as well.
 */
export function settleTripwire(
  loop: TripwireVerdict,
  base: TripwireVerdict | null,
): 'held' | 'broken' | null {
  switch (loop.kind) {
    case 'held':
      return 'held';
    case 'broken':
      return base?.kind === 'broken' || base?.kind === 'odd' ? null : 'broken';
    case 'odd':
      return base?.kind === 'held' ? 'broken' : null;
    case 'unknown':
      return null;
  }
}

/** The numbers leave no room: every test of the base and every one of the tripwire ran, and no other one failed. */
function accountsForAll(
  { files }: Tripwire,
  now: TestRun,
  before: TestRun,
  failedTraps: number,
): boolean {
  const added = files.reduce((sum, file) => sum + countOf(file), 0);
  return (
    before.total > 0 &&
    !now.incomplete &&
    now.errors.length === 0 &&
    now.total === before.total + added &&
    now.skipped === before.skipped &&
    now.failed === before.failed + failedTraps
  );
}

function countOf({ mustFail, mustPass }: TripwireFile): number {
  return mustFail.length + mustPass.length;
}

function namesOf(
  { tests }: TestRun,
  isIn: (status: TestRun['tests'][number]['status']) => boolean,
): string[] {
  return tests.filter(({ status }) => isIn(status)).map(({ name }) => name.toLowerCase());
}

const shownFiles = 3;

export function loadedText(loaded: readonly string[]): string {
  const more = loaded.length - shownFiles;
  const named = loaded.slice(0, shownFiles).join(', ') + (more > 0 ? ` and ${more} more` : '');
  const verb = loaded.length > 1 ? 'were' : 'was';
  return named === '' ? 'once the changed files were loaded' : `once ${named} ${verb} loaded`;
}

function passedText(loaded: string): (trap: Trap) => string {
  return ({ says }) => `a test that ${says} passed ${loaded}`;
}
