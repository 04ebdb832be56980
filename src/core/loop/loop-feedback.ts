import { renderFeedback, type FeedbackLimits } from '../verdict/feedback.ts';
import { flakyChecks, type Flaky } from '../verdict/flaky.ts';
import { allChecks, type VerificationReport } from '../verdict/report.ts';
import { lastIteration, type Loop } from './loop.ts';

/** What the newest verification says to the next iteration; without one, what the agent that did nothing was told. */
export function feedbackOf(loop: Loop): string {
  const last = lastIteration(loop);
  if (last?.report === null || last?.report === undefined) return unused(loop);
  const changes = {
    ...testChanges(loop),
    restored: last.restored,
    flaky: flakyOf(loop).map(({ name }) => name),
  };
  return renderFeedback(last.report, changes, limitsOf(loop));
}

/** What the last agent was told and did nothing with, but for the notice of then. */
function unused({ feedback, iterations }: Loop): string {
  const notice = iterations.findLast(({ decision }) => decision !== null)?.decision?.notice ?? null;
  const isNotice = notice !== null && feedback.endsWith(notice);
  return isNotice ? feedback.slice(0, -notice.length).trimEnd() : feedback;
}

/** Checks and tests of a loop with different results on the same files, its base included. */
export function flakyOf(loop: Loop): readonly Flaky[] {
  return flakyChecks(reportsOf(loop));
}

export function limitsOf({ settings }: Loop): FeedbackLimits {
  const { feedback } = settings.verify;
  return {
    failures: feedback['max-failures'],
    outputChars: feedback['failure-chars'],
    chars: feedback['feedback-chars'],
    files: feedback['max-file-references'],
  };
}

/** Every verdict of the loop, oldest first, beginning with its base. */
function reportsOf(loop: Loop): readonly VerificationReport[] {
  const reports = [loop.baseline?.report ?? null, ...loop.iterations.map(({ report }) => report)];
  return reports.filter((report) => report !== null);
}

/** Tests that started or stopped failing since the last report, by name. A test that is gone was not fixed. */
function testChanges(loop: Loop): { newlyBroken: string[]; newlyFixed: string[] } {
  const [now, before] = reportsOf(loop).toReversed();
  if (now === undefined || before === undefined) return { newlyBroken: [], newlyFixed: [] };
  const failing = failingTests(now);
  const failed = failingTests(before);
  const isWhole = allChecks(now).every(({ check }) => check.violations === undefined);
  return {
    newlyBroken: [...failing.difference(failed)],
    newlyFixed: isWhole ? [...failed.difference(failing)] : [],
  };
}

function failingTests(report: VerificationReport): Set<string> {
  return new Set(allChecks(report).flatMap(({ check }) => check.failingTests));
}
