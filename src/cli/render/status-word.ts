import type { Loop } from '../../core/loop/loop.ts';
import type { LoopStatus } from '../../core/loop/status.ts';
import type { Style } from './paint.ts';

/** The colour of a loop's status; the word itself is always shown too. */
export function statusStyle(status: LoopStatus): Style {
  switch (status) {
    case 'complete':
      return 'green';
    case 'failed':
    case 'blocked':
      return 'red';
    case 'stopped':
    case 'paused':
    case 'waiting':
      return 'yellow';
    case 'pending':
    case 'running':
    case 'rebasing':
      return 'cyan';
  }
}

/** `failed (max_iterations)`; `complete` needs no reason unless it is unproven. */
export function statusText(status: LoopStatus, reason: string | null): string {
  if (status === 'complete' && reason === 'unproven') return 'complete, unproven';
  return reason === null || status === 'complete' ? status : `${status} (${reason})`;
}

/** Whether the text of a loop adds nothing to its status. What to do about a sign-in is said once, of the provider. */
export function statusSaysAll({ reason, text }: Pick<Loop, 'reason' | 'text'>): boolean {
  return text === null || text === reason || reason === 'auth';
}
