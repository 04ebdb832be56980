/**
 * Takes secrets out of what a fact says in words: texts of agents, programs, people and file names. What the engine goes by
 * (states, hashes, branches, settings) stays as it is; a command that was run is told without secrets, the settings run it again.
 */
import type { ProgressEntry } from '../progress/entry.ts';
import type { Confirmation } from '../verdict/confirmation.ts';
import type { FailingTest } from '../verdict/failing-test.ts';
import type { Check, VerificationReport } from '../verdict/report.ts';
import type { FileChanges } from './changes.ts';
import type { AgentRecord, HookResult, LoopEvent } from './event.ts';
import type { Decision } from './judge.ts';

type Clean = (text: string) => string;

export function cleanEvent(event: LoopEvent, clean: Clean): LoopEvent {
  const { all, maybe } = both(clean);
  switch (event.type) {
    case 'workspace.opened':
      return {
        ...event,
        repaired: all(event.repaired),
        missing: all(event.missing),
        ...(event.left === undefined ? {} : { left: cleanChanges(event.left, clean) }),
      };
    case 'workspace.set_up':
      return { ...event, command: clean(event.command), output: clean(event.output) };
    case 'baseline.recorded': {
      const report = event.report === null ? null : cleanReport(event.report, clean);
      const { feedback, warning } = event;
      const fault = event.fault === undefined ? {} : { fault: clean(event.fault) };
      return { ...event, report, feedback: clean(feedback), warning: maybe(warning), ...fault };
    }
    case 'integrity.allowed': {
      const report = event.report === undefined ? {} : { report: cleanReport(event.report, clean) };
      return { ...event, ...report, reason: maybe(event.reason) };
    }
    case 'model.chosen':
    case 'approval.refused':
      return { ...event, reason: clean(event.reason) };
    case 'prompt.built':
      return { ...event, warnings: all(event.warnings) };
    case 'hooks.ran':
      return { ...event, results: event.results.map((result) => cleanHook(result, clean)) };
    case 'agent.ended':
      return { ...event, record: cleanRecord(event.record, clean) };
    case 'protected.restored':
      return { ...event, paths: all(event.paths) };
    case 'snapshot.taken': {
      const unstored = event.unstored === undefined ? {} : { unstored: all(event.unstored) };
      const changes = cleanChanges(event.changes, clean);
      return { ...event, ...unstored, changes, repaired: all(event.repaired) };
    }
    case 'surroundings.changed':
      return { ...event, names: all(event.names) };
    case 'verification.ended':
      return { ...event, report: cleanReport(event.report, clean) };
    case 'iteration.ended': {
      const progress = event.progress === null ? null : cleanProgress(event.progress, clean);
      return { ...event, progress, why: maybe(event.why) };
    }
    case 'confirmation.ended':
      return { ...event, confirmation: cleanConfirmation(event.confirmation, clean) };
    case 'judge.allowed':
    case 'proof.accepted':
      return { ...event, reason: maybe(event.reason) };
    case 'gate.judged': {
      const { reason, output, command } = event.result;
      const told = { reason: clean(reason), output: clean(output), command: maybe(command) };
      return { ...event, result: { ...event.result, ...told } };
    }
    case 'approval.given':
      return { ...event, note: clean(event.note) };
    case 'approval.asked':
      return { ...event, question: { ...event.question, text: clean(event.question.text) } };
    case 'decision.made':
      return { ...event, decision: cleanDecision(event.decision, clean) };
    case 'rebase.conflicted':
      return { ...event, files: all(event.files) };
    case 'rebase.aborted':
      return { ...event, why: clean(event.why) };
    case 'messages.received': {
      const messages = event.messages.map((each) => ({ ...each, text: clean(each.text) }));
      return { ...event, messages };
    }
    case 'session.rebooted':
    case 'loop.waiting':
    case 'warning.raised':
    case 'loop.rested':
      return { ...event, text: clean(event.text) };
    case 'loop.created':
    case 'loop.started':
    case 'loop.resumed':
    case 'loop.woken':
    case 'progress.cleared':
    case 'loop.merged':
    case 'settings.reread':
    case 'baseline.started':
    case 'iteration.started':
    case 'agent.started':
    case 'usage.added':
    case 'verification.started':
    case 'mode.switched':
    case 'rebase.started':
    case 'rebase.ended':
    case 'merge.started':
    case 'base.moved':
      return event;
  }
}

export function cleanReport(report: VerificationReport, clean: Clean): VerificationReport {
  const levels = Object.entries(report.levels).map(([name, level]) => {
    const checks = level.checks.map((check) => cleanCheck(check, clean));
    return [name, { ...level, checks }] as const;
  });
  return { ...report, levels: Object.fromEntries(levels) };
}

function cleanConfirmation(confirmation: Confirmation, clean: Clean): Confirmation {
  const { all, maybe } = both(clean);
  const runs = confirmation.runs.map((run) => ({
    ...run,
    reason: maybe(run.reason),
    output: clean(run.output),
  }));
  const { why, findings } = confirmation;
  return { ...confirmation, runs, why: clean(why), findings: all(findings) };
}

/** The inventory is compared by name with those of other runs: it comes out of output that is clean already. */
function cleanCheck(check: Check, clean: Clean): Check {
  const { all, maybe } = both(clean);
  const { failures, violations } = check;
  return {
    ...check,
    output: clean(check.output),
    command: maybe(check.command),
    reason: maybe(check.reason),
    failingTests: all(check.failingTests),
    ...(failures === undefined
      ? {}
      : { failures: failures.map((each) => cleanFailure(each, clean)) }),
    ...(violations === undefined
      ? {}
      : { violations: violations.map((each) => ({ ...each, text: clean(each.text) })) }),
  };
}

function cleanFailure({ name, message, place }: FailingTest, clean: Clean): FailingTest {
  return { name: clean(name), message: clean(message), place: both(clean).maybe(place) };
}

function cleanHook(result: HookResult, clean: Clean): HookResult {
  const { output, problem, answer } = result;
  return {
    ...result,
    hook: clean(result.hook),
    output: clean(output),
    ...(problem === undefined ? {} : { problem: clean(problem) }),
    ...(answer === undefined ? {} : { answer: { ...answer, reason: clean(answer.reason) } }),
  };
}

/** Notes are made of a clean text. */
function cleanRecord(record: AgentRecord, clean: Clean): AgentRecord {
  const { evidence, finalText, summary } = record;
  return {
    ...record,
    evidence: clean(evidence),
    finalText: clean(finalText),
    summary: both(clean).maybe(summary),
  };
}

function cleanChanges(changes: FileChanges, clean: Clean): FileChanges {
  const { all } = both(clean);
  return {
    ...changes,
    created: all(changes.created),
    modified: all(changes.modified),
    deleted: all(changes.deleted),
    renamed: changes.renamed.map(({ from, to }) => ({ from: clean(from), to: clean(to) })),
  };
}

function cleanProgress(entry: ProgressEntry, clean: Clean): ProgressEntry {
  const { errorSummary, summary, summaryError } = entry;
  const { all, maybe } = both(clean);
  return {
    ...entry,
    command: clean(entry.command),
    filesChanged: all(entry.filesChanged),
    stdout: clean(entry.stdout),
    stderr: clean(entry.stderr),
    ...(errorSummary === undefined ? {} : { errorSummary: maybe(errorSummary) }),
    ...(summary === undefined ? {} : { summary: maybe(summary) }),
    ...(summaryError === undefined ? {} : { summaryError: maybe(summaryError) }),
  };
}

function cleanDecision(decision: Decision, clean: Clean): Decision {
  const { reason, feedback, notice, end, inputs } = decision;
  const { strategy } = inputs;
  return {
    ...decision,
    reason: clean(reason),
    feedback: clean(feedback),
    notice: both(clean).maybe(notice),
    end: end === null ? null : { ...end, text: clean(end.text) },
    inputs: { ...inputs, strategy: { ...strategy, reason: clean(strategy.reason) } },
  };
}

function both(clean: Clean) {
  return {
    all: (texts: readonly string[]): readonly string[] => texts.map(clean),
    maybe: (text: string | null): string | null => (text === null ? null : clean(text)),
  };
}
