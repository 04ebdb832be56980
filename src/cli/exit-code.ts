import { isLoopwrightError } from '../core/error.ts';

/** The exit codes of every command, in one place. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  /** Needs a person: a conflict, uncommitted changes in the way, somebody else at work. */
  blocked: 2,
  /** Bad setup, bad input, refusal, nothing to do. */
  refused: 3,
  stopped: 4,
  budget: 5,
  interrupted: 130,
} as const;

/** Errors after which a person must put something right in the repository or wait for another engine. */
const blockedCodes: ReadonlySet<string> = new Set([
  'git.dirty',
  'git.filtered',
  'git.locked',
  'git.index_damaged',
  'loop.no_base_branch',
  'run.held',
  'git.conflict',
  'git.busy',
  'merge.red',
  'loop.owned',
  'loop.running',
  'loop.lost',
  'loop.conflict',
  'store.fenced',
  'store.conflict',
  'store.locked',
  'store.log_changed',
  'store.state_changed',
  'daemon.running',
]);

/** Errors that mean a mistake of the program, not of its user. */
const internalCodes: ReadonlySet<string> = new Set([
  'internal',
  'loop.no_iteration',
  'loop.no_workspace',
  'store.transaction_over',
  'store.rolled_back',
]);

/** The exit code for an error: refused unless it is listed above; whatever is no error of ours failed. */
export function exitCodeOfError(error: unknown): number {
  if (!isLoopwrightError(error) || internalCodes.has(error.code)) return exitCodes.failed;
  if (error.code === 'run.waiting') return exitCodes.stopped;
  if (error.code === 'budget.spent') return exitCodes.budget;
  return blockedCodes.has(error.code) ? exitCodes.blocked : exitCodes.refused;
}
