import type { AgentOutcomeKind } from './outcome.ts';

/**
 * What an HTTP status of a model's API means for a loop. Credentials and money are a person's business (`auth`); what may
 * work again later is `api_error`, and so is a request nobody understands, which then ends the loop after its retries.
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
