import type { LoopEvent } from '../loop/event.ts';
import type { Iteration, Loop } from '../loop/loop.ts';
import type { AttemptOutcome } from '../loop/status.ts';
import { headChars } from '../text/code-points.ts';
import { plainText } from '../text/terminal.ts';
import { firstError } from '../verdict/error-line.ts';
import { stackIn } from '../verdict/stack-trace.ts';
import { allChecks, type Check, type VerificationReport } from '../verdict/report.ts';
import type { FailureNote } from './attempt.ts';
import { causeOf, causeText } from './attempt-cause.ts';
import { guessCategory } from './error-category.ts';
import { namedPaths } from './learning.ts';

/** What an iteration leaves in memory. Times are UTC milliseconds. */
export type Capture = {
  readonly attempt: {
    readonly taskId: string;
    readonly number: number;
    readonly loopId: string;
    readonly sessionId: string | null;
    readonly model: string;
    readonly startedAt: number;
    readonly durationMs: number;
    readonly tokensInput: number | null;
    readonly tokensOutput: number | null;
    readonly costUsd: number | null;
    readonly outcome: AttemptOutcome;
    readonly errorType: string | null;
  };
  readonly difficulty: string | null;
  /** Null when the attempt did not fail. */
  readonly report: FailureNote | null;
  readonly learnings: readonly {
    readonly category: string;
    readonly tags: readonly string[];
    readonly content: string;
    readonly paths: readonly string[];
    readonly signature: string | null;
  }[];
  /** The reports before and after the iteration, for the votes; null when nothing was verified. */
  readonly verified: {
    readonly before: VerificationReport | null;
    readonly after: VerificationReport;
  } | null;
};

const noModel = 'default';
const maxWhyChars = 200;
const maxNamedTests = 3;
const maxSaidChars = 200;
/** Escape sequences may be much longer than what they colour. */
const maxLineUnits = 2000;

type IterationEnd = Pick<
  Extract<LoopEvent, { type: 'iteration.ended' }>,
  'number' | 'status' | 'outcome' | 'durationMs'
>;

/** What the end of an iteration leaves in memory. `loop` is the loop after the end was folded in. */
export function captureIteration(loop: Loop, ended: IterationEnd): Capture | null {
  const index = loop.iterations.findIndex(({ number }) => number === ended.number);
  const iteration = loop.iterations[index];
  // Nobody has tried anything in an iteration that a hook left out.
  if (iteration === undefined || ended.status === 'skipped') return null;
  const before = reportBefore(loop, index);
  const failed = ended.outcome !== 'done' && ended.outcome !== 'interrupted';
  const report = failed ? failureNote(iteration) : null;
  const worked = failingSignature(before);
  return {
    attempt: {
      taskId: loop.taskId,
      number: iteration.attempt,
      loopId: loop.id,
      sessionId: loop.sessionId,
      model: iteration.model ?? iteration.agent?.model ?? noModel,
      startedAt: iteration.startedAt,
      durationMs: ended.durationMs,
      tokensInput: iteration.tokens?.input ?? null,
      tokensOutput: iteration.tokens?.output ?? null,
      costUsd: iteration.unpriced === true ? null : iteration.costUsd,
      outcome: ended.outcome,
      errorType: failed ? (causeOf(iteration) ?? report?.errorCategory ?? null) : null,
    },
    difficulty: iteration.agent?.notes?.difficulty ?? null,
    report,
    learnings: (iteration.agent?.notes?.learnings ?? []).map((learning) => ({
      ...learning,
      paths: namedPaths(learning.content, ...learning.tags),
      signature: worked,
    })),
    verified: iteration.report === null ? null : { before, after: iteration.report },
  };
}

/** What was known of the checks when the iteration began. */
function reportBefore(loop: Loop, index: number): VerificationReport | null {
  const earlier = loop.iterations.slice(0, index).findLast(({ report }) => report !== null);
  return earlier?.report ?? loop.baseline?.report ?? null;
}

/** The agent's own report, else a minimal one from what the engine saw. */
export function failureNote(iteration: Iteration): FailureNote {
  const notes = iteration.agent?.notes ?? null;
  const check = iteration.report === null ? null : firstFailing(iteration.report);
  const shared = {
    retrySuggestion: notes?.retrySuggestion ?? null,
    signature: signatureOf(check),
  };
  // The agent wrote its report before a person or a gate looked at the work.
  if (notes?.failureReport && !wasSentBack(iteration)) {
    const { failureReport } = notes;
    return {
      ...failureReport,
      // A test may fail for no other reason than that the agent did not come to its end.
      errorCategory: causeOf(iteration) ?? failureReport.errorCategory,
      whyFailed: withCause(iteration, failureReport.whyFailed),
      ...shared,
    };
  }
  return {
    whatTried: '',
    whyFailed: withCause(iteration, whyFailed(iteration, check)),
    errorCategory: causeOf(iteration) ?? (check === null ? 'unknown' : guessCategory(check)),
    relevantFiles: [],
    stackTrace: check === null || iteration.refusal !== undefined ? null : stackIn(check.output),
    ...shared,
  };
}

function wasSentBack({ refusal, gates = [] }: Iteration): boolean {
  return refusal !== undefined || gates.some(({ passed }) => !passed);
}

/** The signature of the first failing check; null when nothing failed. */
export function failingSignature(report: VerificationReport | null): string | null {
  return report === null ? null : signatureOf(firstFailing(report));
}

/** A check that fails without a word fails like any other silent one: that is no signature. */
function signatureOf(check: Check | null): string | null {
  return check === null || check.output.trim() === '' ? null : (check.signature?.exact ?? null);
}

function firstFailing(report: VerificationReport): Check | null {
  return allChecks(report).find(({ check }) => check.passed === false)?.check ?? null;
}

/** An agent that did not come to its end left files that may fail for that reason alone. */
function withCause(iteration: Iteration, why: string): string {
  const cause = causeOf(iteration);
  if (cause === null) return why;
  const evidence = headChars(plainText(iteration.agent?.evidence ?? '').trim(), maxWhyChars);
  // Without checks the evidence is all there is to say.
  const isSaid = evidence === '' || why.startsWith(evidence);
  const said = isSaid ? '' : ` (${evidence})`;
  return why === '' ? `${causeText(cause)}${said}` : `${causeText(cause)}${said}: ${why}`;
}

function whyFailed(iteration: Iteration, check: Check | null): string {
  const { agent, report, refusal } = iteration;
  if (refusal !== undefined) return headChars(refusalText(refusal), maxWhyChars);
  if (check !== null) return describeCheck(check);
  if (report?.overall.passed === true) {
    return headChars(plainText(whatIsMissing(iteration)).trim(), maxWhyChars);
  }
  const said = agent?.kind === 'done' ? agent.finalText : agent?.evidence || agent?.finalText;
  return headChars(plainText(said ?? '').trim(), maxWhyChars);
}

/** The checks pass, and that was not enough: in the words of the rules of done, once they have decided. */
function whatIsMissing({ decision, gates = [], unstored = [], agent }: Iteration): string {
  if (decision !== null && decision.end?.status !== 'complete') {
    const isStopped = decision.source === 'budget' || decision.source === 'integrity';
    return isStopped ? decision.reason : decision.inputs.completion;
  }
  const gate = gates.find(({ passed }) => !passed);
  if (gate !== undefined) return `the checks pass, but not the gate ${gate.name}: ${gate.reason}`;
  if (unstored.length > 0) {
    return `the checks pass, but on files that are in no commit: ${unstored.join(', ')}`;
  }
  if (agent?.claim === null) return 'the checks pass, but the agent has not claimed to be done';
  return 'the checks pass, but the rules of done do not hold';
}

/** What is said of an attempt that a person sent back. */
export function refusalText({ by, reason }: NonNullable<Iteration['refusal']>): string {
  return `rejected by ${by}: ${plainText(reason).trim()}`;
}

function describeCheck(check: Check): string {
  const { name, reason, failingTests, tests } = check;
  const counts = tests === null ? '' : `, ${tests.passed} of ${tests.total} tests pass`;
  const why = `${reason ?? 'failed'}${counts}`;
  const named = failingTests.slice(0, maxNamedTests).map((test) => headChars(test, 100));
  const more = failingTests.length - named.length;
  const list = named.length === 0 ? '' : `; failing: ${named.join('; ')}`;
  return `check ${name}: ${why}${list}${more > 0 ? ` and ${more} more` : ''}${saidBy(check)}`;
}

/** What tells this failure from another with the same exit code: the first failing test's error, else the telling line. */
function saidBy({ failures, output }: Check): string {
  const [first] = failures ?? [];
  const error = first?.message.split('\n').find((line) => line.trim() !== '');
  const line = plainText((error ?? firstError(output) ?? '').slice(0, maxLineUnits)).trim();
  return line === '' ? '' : `; it says: ${headChars(line, maxSaidChars)}`;
}
