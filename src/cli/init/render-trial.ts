import type { Check } from '../../core/verdict/report.ts';
import { plainText } from '../../core/text/terminal.ts';
import { formatDuration, formatTests } from '../render/format.ts';
import { remedyLine } from './remedy.ts';
import type { Row } from './render-setup.ts';
import type { TrialReport } from './try-choice.ts';

export type TrialLines = {
  /** What is fine, among the decisions. */
  readonly rows: readonly Row[];
  /** What a person has to look at. */
  readonly notes: readonly string[];
};

/** What the trial of the check has shown, for people. */
export function trialLines(report: TrialReport): TrialLines {
  switch (report.kind) {
    case 'skipped':
      return { rows: [['tried', 'no', report.why]], notes: [] };
    case 'failed': {
      const hint = report.hint === null ? '' : ` (${report.hint})`;
      return { rows: [], notes: [`The check was not tried: ${plainText(report.why)}${hint}`] };
    }
    case 'tried': {
      const added = report.added.map((remedy): Row => ['added', remedyLine(remedy), null]);
      const advice = report.advice === null ? '' : ` To do: ${report.advice}.`;
      const { trial } = report;
      switch (trial.kind) {
        case 'ran':
          return { rows: [['tried', resultOf(trial.check), null], ...added], notes: [] };
        case 'broken': {
          const text = `The check could not run in a fresh worktree: ${plainText(trial.fault.text)}.`;
          return { rows: added, notes: [`${text}${advice}`] };
        }
        case 'setup-failed': {
          const said = plainText(trial.output).trim().split('\n').at(-1)?.trim() ?? '';
          const text = `\`${trial.command}\` failed in a fresh worktree${said === '' ? '' : `: ${said}`}.`;
          return { rows: added, notes: [`${text}${advice}`] };
        }
        case 'timed-out': {
          const time = formatDuration(trial.afterMs);
          if (trial.what === 'check') {
            const text = `it runs in a fresh worktree; ended after ${time}, its result is not known`;
            return { rows: [['tried', text, null], ...added], notes: [] };
          }
          const text = `\`${trial.command}\` was not done in a fresh worktree after ${time}.`;
          return { rows: added, notes: [`${text}${advice}`] };
        }
      }
    }
  }
}

/** The same for programs. `state` says whether the check ran. */
export function trialResult(report: TrialReport): Readonly<Record<string, unknown>> {
  if (report.kind !== 'tried') {
    return { state: report.kind === 'skipped' ? 'skipped' : 'failed', reason: report.why };
  }
  const { trial, added, advice } = report;
  switch (trial.kind) {
    case 'ran': {
      const { passed, exitCode, durationMs, tests } = trial.check;
      return { state: 'ran', passed, exitCode, durationMs, tests, added };
    }
    case 'broken': {
      const { text: reason, missing } = trial.fault;
      const { exitCode } = trial.check;
      return { state: 'could-not-run', reason, missing, exitCode, added, advice };
    }
    case 'setup-failed': {
      const { command, output } = trial;
      return { state: 'setup-failed', command, output: output.slice(-2000), added, advice };
    }
    case 'timed-out': {
      const { what, command, afterMs } = trial;
      return { state: 'timed-out', what, command, afterMs, added, advice };
    }
  }
}

/** Red is the usual state before the work: what counts is that it ran. */
function resultOf({ passed, exitCode, tests, durationMs }: Check): string {
  const time = formatDuration(durationMs);
  const counts = tests === null || tests.total === 0 ? '' : `, ${formatTests(tests)}`;
  if (passed === true) return `runs in a fresh worktree, green${counts} (${time})`;
  if (passed === null) return `runs in a fresh worktree, and judges nothing yet${counts} (${time})`;
  return `runs in a fresh worktree, red with exit code ${String(exitCode)}${counts} (${time}); that is fine`;
}
