import { inertWord } from './inert-text.ts';
import { notesLabel } from './label.ts';

/** How the loop and its task stand when the prompt is built. */
export type LoopStatus = {
  readonly iteration: number;
  /** 0: unlimited. */
  readonly maxIterations: number;
  /** The attempt that is about to start, from 1. */
  readonly attempt: number;
  readonly consecutiveFailures: number;
  /** Iterations of this session that ended, and how many of them completed their loop. */
  readonly runTotal: number;
  readonly runSuccesses: number;
  readonly model: string;
  readonly modelReason: string;
  readonly stuckAfter: number;
};

/** The four lines, without the warning of a stuck task. */
export function renderStatus(status: LoopStatus): string {
  const { iteration, maxIterations, attempt, consecutiveFailures, runTotal, runSuccesses } = status;
  const percent = runTotal === 0 ? 0 : Math.round((runSuccesses / runTotal) * 100);
  const lines = [
    `- **Iteration:** ${iteration} of ${maxIterations === 0 ? 'unlimited' : maxIterations}`,
    `- **This task:** attempt #${attempt}, ${consecutiveFailures} consecutive failure(s)`,
    `- **Run success rate:** ${runSuccesses}/${runTotal} iterations succeeded (${percent}%)`,
    `- **Current model:** ${inertWord(status.model, 80)} (${inertWord(status.modelReason, 160)})`,
  ];
  return `### Loop Status\n\n${notesLabel}\n\n${lines.join('\n')}`;
}

/** The warning of a stuck task; empty while it is not stuck. */
export function renderStuck({ consecutiveFailures, stuckAfter }: LoopStatus): string {
  if (consecutiveFailures < stuckAfter) return '';
  return [
    `> ⚠️ **Stuck loop detected.** This task has failed ${stuckAfter}+ times consecutively.`,
    '> Consider: decomposing the task, trying a fundamentally different approach,',
    '> or signaling `<task-failed>` with a clear explanation.',
  ].join('\n');
}
