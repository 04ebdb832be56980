/**
 * The life of a loop.
 *
 * - `pending`: created, no owner yet.
 * - `running`: an owner drives it through its steps.
 * - `waiting`: a condition with a time (rate limit, usage window, outage, backoff) must pass first; survives a restart.
 * - `paused`: left by a person or a signal; work kept, `resume` goes on.
 * - `rebasing`: the base branch moved and the loop's branch is being put on top of it.
 * - `blocked`: needs a person (auth, conflict, approval, gate, judge, setup).
 * - `complete`: an executed verification passed and the rules of done held. The only success.
 * - `failed`, `stopped`: ended without that proof; the branch and the work are kept.
 */
export const loopStatuses = [
  'pending',
  'running',
  'waiting',
  'paused',
  'rebasing',
  'blocked',
  'complete',
  'failed',
  'stopped',
] as const;

export type LoopStatus = (typeof loopStatuses)[number];

/** A status in which no owner drives the loop. */
export type RestStatus = 'paused' | 'blocked' | 'complete' | 'failed' | 'stopped';

export type RestReason =
  | 'verified'
  /** Complete, and nothing shows that the checks would not pass without the work. */
  | 'unproven'
  | 'max_iterations'
  | 'strategy_stop'
  | 'no_progress'
  | 'stuck'
  | 'errors'
  | 'auth'
  | 'outage'
  | 'conflict'
  | 'approval'
  | 'gate'
  | 'rejected'
  | 'integrity'
  | 'judge'
  | 'setup'
  | 'user'
  | 'limit'
  | 'disk'
  | 'stop_condition'
  | 'budget'
  | 'interrupted'
  | 'cancelled';

export function isResting(status: LoopStatus): status is RestStatus {
  return (
    status === 'paused' ||
    status === 'blocked' ||
    status === 'complete' ||
    status === 'failed' ||
    status === 'stopped'
  );
}

/** Ended for good unless a person resumes it by hand. */
export function isEnded(status: LoopStatus): boolean {
  return status === 'complete' || status === 'failed' || status === 'stopped';
}

/** The exit code of `run` for one loop. */
export function exitCodeOf(status: RestStatus, reason: string | null): number {
  switch (status) {
    case 'complete':
      return 0;
    case 'failed':
      return 1;
    case 'blocked':
      return 2;
    case 'stopped':
      return reason === 'budget' ? 5 : 4;
    case 'paused':
      return reason === 'interrupted' ? 130 : 4;
  }
}

const exitPrecedence = [130, 5, 2, 1, 4, 0];

/** Several loops: the first that applies of 130, 5, 2, 1, 4, 0. */
export function combineExitCodes(codes: readonly number[]): number {
  return exitPrecedence.find((code) => codes.includes(code)) ?? codes[0] ?? 0;
}

export const iterationStatuses = [
  'pending',
  'pre_hooks',
  'executing',
  'verifying',
  'post_hooks',
  'completed',
  'failed',
  'timed_out',
  'skipped',
  'interrupted',
] as const;

export type IterationStatus = (typeof iterationStatuses)[number];

/** Outcome of an attempt as its task sees it. */
export type AttemptOutcome = 'done' | 'failed' | 'no_sigil' | 'error' | 'timed_out' | 'interrupted';
