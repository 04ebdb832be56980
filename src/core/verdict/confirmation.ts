import type { Check } from './report.ts';
import type { Proof } from './proof.ts';

/** See docs/design/confirmation.md for what each of them runs, and when. */
export type ConfirmationRunKind =
  | 'base-judge'
  | 'own-judge'
  | 'tripwire'
  | 'red-first'
  | 'reference';

/** One run of the checks in a room of its own. */
export type ConfirmationRun = {
  readonly kind: ConfirmationRunKind;
  /** Null: it says nothing, as no test ran. */
  readonly passed: boolean | null;
  readonly reason: string | null;
  /** Names of failing tests, bounded. */
  readonly failing: readonly string[];
  /** Tests that passed on the base and did not run here, or were skipped. */
  readonly lost: readonly string[];
  /** Files of the judge that the run has changed. */
  readonly changed: readonly string[];
  /** What failed, for the next prompt; empty when nothing did. */
  readonly output: string;
  readonly durationMs: number;
  /** Folder of the evidence, relative to the loop's. */
  readonly evidence: string;
};

/** A file that judges and is not as it is on the base. */
export type JudgeChange = {
  readonly path: string;
  readonly kind: string;
  readonly how: 'added' | 'changed' | 'removed';
  /** What of a manifest judges and was changed; absent: the file as a whole. */
  readonly keys?: readonly string[];
};

export type ConfirmationVerdict =
  /** Everything passes. */
  | 'confirmed'
  /** The base's judge says no, the loop's own says yes. */
  | 'contradicted'
  /** It does not pass in a clean place, whoever judges. */
  | 'refused'
  /** Neither does the base, where it passed before: the place lacks something. */
  | 'poor-room'
  /** The product decides what its tests say. */
  | 'overpowered';

export type Confirmation = {
  readonly verdict: ConfirmationVerdict;
  /** What it is worth once it counts; see `standing`. */
  readonly proof: Proof;
  /** Why it is worth that, in words; or why it does not count. */
  readonly why: string;
  /** What was found, a sentence each, for people and the agent. */
  readonly findings: readonly string[];
  readonly base: string;
  readonly commit: string;
  readonly runs: readonly ConfirmationRun[];
  /** Those that nothing has allowed beforehand. */
  readonly changes: readonly JudgeChange[];
  /** Of the changes: as long as it is the same, a person's yes holds. */
  readonly hash: string;
  /** Whether a dropped-in test showed that the runner can still fail; absent: there was none for this runner. */
  readonly tripwire?: 'held' | 'broken';
  readonly durationMs: number;
  /** Time of one run of the checks. */
  readonly checkMs: number;
};

export type ConfirmationInput = {
  readonly baseline: 'red' | 'green' | 'silent';
  /** Names of tests that failed on the base; null: not all of them are known. */
  readonly failedBefore: readonly string[] | null;
  readonly runs: readonly ConfirmationRun[];
  readonly changes: readonly JudgeChange[];
  /** The loop changed what judges the work, and no work. */
  readonly isOnlyJudge: boolean;
  /** What stood around the rooms and was put there since the loop began. */
  readonly surroundings: readonly string[];
  /** What clean homes did not have because it was new: told when something fails. Absent: nothing. */
  readonly absent?: readonly string[];
  readonly tripwire: 'held' | 'broken' | null;
  /** What answered wrongly there, a sentence each. */
  readonly odd: readonly string[];
};

type Judged = Pick<Confirmation, 'verdict' | 'proof' | 'why' | 'findings'>;

const shownNames = 10;

/** What the runs say together. */
export function judgeConfirmation(input: ConfirmationInput): Judged {
  const findings = [...input.odd, ...input.surroundings, ...input.changes.map(changeText)];
  const proof = proofOf(input);
  const refusal = refusalOf(input);
  if (refusal === null) return { verdict: 'confirmed', ...proof, findings };
  return { ...refusal, proof: proof.proof, findings: [...findings, ...(input.absent ?? [])] };
}

type Refusal = Pick<Judged, 'verdict' | 'why'>;

function refusalOf(input: ConfirmationInput): Refusal | null {
  const { runs, surroundings, tripwire, odd } = input;
  const base = find(runs, 'base-judge');
  const own = find(runs, 'own-judge');
  if (tripwire === 'broken') return { verdict: 'overpowered', why: overpowered(odd) };
  if (surroundings.length > 0) return { verdict: 'contradicted', why: surroundings[0] ?? '' };
  if (base !== null && !stands(base)) return refusalOfBase(input, base, own);
  if (own === null || stands(own)) return null;
  const why = `the checks do not pass in a clean checkout of the loop's commit: ${reasonOf(own)}`;
  return { verdict: 'refused', why };
}

function overpowered([
  first = 'a test that must fail does not fail',
  ...more
]: readonly string[]): string {
  const rest = more.length === 0 ? '' : ` (and ${more.length} more like it)`;
  return `${first}${rest}: the product decides what its tests say`;
}

function refusalOfBase(
  { runs, baseline, changes, failedBefore }: ConfirmationInput,
  base: ConfirmationRun,
  own: ConfirmationRun | null,
): Refusal {
  const reference = find(runs, 'reference');
  if (reference !== null && baseline === 'green' && !stands(reference)) {
    const why = `in a clean checkout the checks fail on the base too, where they passed before: ${reasonOf(reference)}`;
    return { verdict: 'poor-room', why };
  }
  const common = newlyFailing(base, failedBefore).filter(
    (name) => reference?.failing.includes(name) === true,
  );
  if (common.length > 0) {
    const why = `in a clean checkout tests fail on the base too, where they passed before: ${named(common)}`;
    return { verdict: 'poor-room', why };
  }
  // Tests inside of source files cannot be put back: that one is gone contradicts as a changed file of tests would.
  const isLost = base.passed === true && base.lost.length > 0 && base.changed.length === 0;
  if (isLost && (own === null || stands(own))) {
    return { verdict: 'contradicted', why: reasonOf(base) };
  }
  if (changes.length > 0 && own !== null && stands(own)) {
    const why = `the checks fail with the tests and configuration of the base: ${reasonOf(base)}`;
    return { verdict: 'contradicted', why };
  }
  const why = `the checks fail in a clean checkout of the loop's commit: ${reasonOf(base)}`;
  return { verdict: 'refused', why };
}

/** Tests that fail in a clean place and did not on the base: of the work, or of the place. */
export function newlyFailing(
  { failing }: ConfirmationRun,
  failedBefore: ConfirmationInput['failedBefore'],
): readonly string[] {
  return failedBefore === null ? [] : failing.filter((name) => !failedBefore.includes(name));
}

function find(runs: readonly ConfirmationRun[], kind: ConfirmationRunKind): ConfirmationRun | null {
  return runs.find((run) => run.kind === kind) ?? null;
}

/** Passed, with every test of the base, and left its judge alone. */
function stands({ passed, lost, changed }: ConfirmationRun): boolean {
  return passed === true && lost.length === 0 && changed.length === 0;
}

function reasonOf({ reason, failing, lost, changed }: ConfirmationRun): string {
  if (failing.length > 0) return named(failing);
  if (reason !== null) return reason;
  if (lost.length > 0) return `tests of the base did not run: ${named(lost)}`;
  if (changed.length > 0) return `the run changed or wrote files that judge it: ${named(changed)}`;
  return 'no test ran';
}

function named(names: readonly string[]): string {
  const more = names.length - shownNames;
  return `${names.slice(0, shownNames).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** `test/a.test.ts was changed (test)`. */
export function changeText({ path, kind, how, keys }: JudgeChange): string {
  const what = keys === undefined ? '' : ` in ${named(keys)}`;
  return `${path} was ${how}${what} (${kind})`;
}

function proofOf(input: ConfirmationInput): Pick<Judged, 'proof' | 'why'> {
  const { baseline, runs, isOnlyJudge } = input;
  const redFirst = find(runs, 'red-first');
  if (baseline === 'red' && isOnlyJudge) {
    const why =
      'only what judges the work was changed, and no code: the checks pass because of that';
    return { proof: 'unproven', why };
  }
  if (baseline === 'red') {
    return { proof: 'red-green', why: 'the checks failed on the base and pass now' };
  }
  if (baseline === 'silent') {
    return {
      proof: 'unproven',
      why: 'the base has no checks that ran, so nothing could be compared with it',
    };
  }
  if (redFirst?.passed === false) {
    return {
      proof: 'red-first',
      why: "tests that the loop added fail on the base's code and pass now",
    };
  }
  const why =
    redFirst === null
      ? 'the checks passed before the work began, and no test was added'
      : "the checks passed before the work began, and the added tests pass on the base's code too";
  return { proof: 'unproven', why };
}

export type Lift = {
  /** A person's yes to changes with these hashes. */
  readonly approved: readonly string[];
  /** The agent's own word, in its last message; null: it said nothing. */
  readonly word: string | null;
};

export type Standing = {
  readonly passed: boolean;
  readonly proof: Proof;
  readonly why: string;
  /** Who lifted a refusal; null: there was none, or it stands. */
  readonly liftedBy: 'person' | 'agent' | null;
};

/** A confirmation with what a person or the agent said to it. The agent's word lifts only a contradiction. */
export function standing(confirmation: Confirmation, { approved, word }: Lift): Standing {
  const { verdict, proof, why, hash } = confirmation;
  if (verdict === 'confirmed') return { passed: true, proof, why, liftedBy: null };
  if (verdict === 'overpowered' && approved.includes(hash)) {
    const text = 'a person approved it, although tests that must fail pass once it is loaded';
    return { passed: true, proof: 'unproven', why: text, liftedBy: 'person' };
  }
  if (verdict === 'contradicted' && approved.includes(hash)) {
    const approvedText = 'a person approved the changes to what judges the work';
    const text =
      proof === 'unproven'
        ? `${approvedText}; nothing shows that the checks fail without the work`
        : approvedText;
    return { passed: true, proof, why: text, liftedBy: 'person' };
  }
  if (verdict === 'contradicted' && word !== null) {
    const text = `the agent says that what judges the work had to change: ${word}`;
    return { passed: true, proof: 'unproven', why: text, liftedBy: 'agent' };
  }
  return { passed: false, proof: 'unproven', why, liftedBy: null };
}

/** What a run says in short; `lost` and `changed` are found by whoever ran it. */
export function runFailure(
  checks: readonly Check[],
): Pick<ConfirmationRun, 'failing' | 'reason' | 'output'> {
  const failed = checks.filter(({ passed }) => passed !== true);
  const failing = [...new Set(failed.flatMap(({ failingTests }) => failingTests))];
  const reason = failed.map(({ name, reason: why }) => `${name}: ${why ?? 'failed'}`).join('; ');
  return {
    failing: failing.slice(0, 50),
    reason: reason === '' ? null : reason,
    output: failed.map(({ output }) => output).join('\n'),
  };
}
