import type { AgentOutcome, AgentOutcomeKind } from './outcome.ts';

/**
 * What an HTTP status of a model's API means for a loop. Credentials and money are a person's business (`auth`); what may
 * work again later is `api_error`, and so is a request nobody understands, which is at fault itself (`faultOfStatus`).
 */
export function kindOfStatus(status: number): AgentOutcomeKind {
  switch (status) {
    case 401:
    case 402:
    case 403:
      return 'auth';
    case 413:
      return 'context_full';
    case 429:
      return 'rate_limited';
    default:
      return 'api_error';
  }
}

type Fault = Pick<AgentOutcome, 'fault'>;

/** A request that is refused for what it is will be refused again. Without a status nothing is known against it. */
export function faultOfStatus(status: number | null): Fault {
  if (status === null || status >= 500 || passing.has(status) || status < 400) return {};
  return atFault;
}

/** Timeouts and conflicts that have gone by the next time. */
const passing: ReadonlySet<number> = new Set([408, 409, 425, 429]);

export const atFault: Fault = { fault: 'request' };
