import { isSharedBudget } from '../budget/ledger.ts';
import type { Loop } from './loop.ts';
import type { LoopStatus } from './status.ts';

/** Blocked for something that a person puts right elsewhere, without saying so here. */
const putRightElsewhere: ReadonlySet<string> = new Set(['auth', 'setup', 'conflict']);

/**
 * Whether a loop rests for something that may be gone by now, so that going on is worth a try. What wants a decision of a person (an
 * approval, a gate, the judge), was ended by one, or has failed, is not gone by itself. A budget is when it was raised: `spent` says.
 */
export function mayHavePassed(status: LoopStatus, reason: string | null): 'yes' | 'spent' | 'no' {
  switch (status) {
    case 'paused':
      return 'yes';
    case 'blocked':
      return putRightElsewhere.has(reason ?? '') ? 'yes' : 'no';
    case 'stopped':
      return reason === 'budget' ? 'spent' : 'no';
    case 'pending':
    case 'running':
    case 'waiting':
    case 'rebasing':
    case 'complete':
    case 'failed':
      return 'no';
  }
}

/** Why a paused loop was paused, where nobody has to say that it may go on. */
const passesByItself: ReadonlySet<string> = new Set(['interrupted', 'disk', 'outage', 'rejected']);

/**
 * Whether the next `run` goes on with a loop at rest without being told: a signal, a full disk, an outage, the budget of a run or an
 * error has paused it, a person sent it back, or its provider wanted a sign-in.
 */
export function nextRunGoesOn({ status, reason, text }: Pick<Loop, 'status' | 'reason' | 'text'>) {
  if (status === 'paused') return passesByItself.has(reason ?? '');
  if (status === 'blocked') return reason === 'auth';
  return status === 'stopped' && reason === 'budget' && isSharedBudget(text);
}

/** In which of these a loop may be that the next `run` goes on with. */
export const restsForNextRun: readonly LoopStatus[] = ['paused', 'blocked', 'stopped'];

/** The same without the text, which only the whole loop has: false is certain, true is not where a budget was used up. */
export function nextRunMayGoOn({ status, reason }: Pick<Loop, 'status' | 'reason'>): boolean {
  const isSpent = status === 'stopped' && reason === 'budget';
  return isSpent || nextRunGoesOn({ status, reason, text: null });
}
