/** What went wrong with a request to a model, and what follows. Decided by status and structured fields alone. */
import type { AgentOutcomeKind } from '../outcome.ts';

export type ModelFailure = {
  readonly kind:
    | 'auth'
    | 'rate-limited'
    /** The plan's window or the credit is used up. */
    | 'usage-limit'
    | 'context-full'
    /** Refused for good: repeating it changes nothing. */
    | 'invalid'
    /** May go better the next time: overload, server error, lost connection, cut stream, broken reply. */
    | 'transient';
  readonly message: string;
  /** What the provider says to wait; null when it says nothing believable. */
  readonly retryAfterMs: number | null;
  /** When the usage limit is lifted, UTC milliseconds; null when unknown. */
  readonly resetAtMs: number | null;
};

/** An error as a provider reports it. Absent fields are null. */
export type ReportedError = {
  /** Null for an error inside a stream, which has begun with 200. */
  readonly status: number | null;
  readonly type: string | null;
  readonly code: string | null;
  readonly message: string | null;
  readonly retryAfterMs: number | null;
  /** Said only of a used-up plan. */
  readonly resetAtMs: number | null;
};

export type RetryPolicy = {
  readonly retries: number;
  readonly firstMs: number;
  /** A provider that wants a longer pause ends the run: the engine waits better. */
  readonly longestMs: number;
};

export type AfterFailure =
  | { readonly kind: 'retry'; readonly waitMs: number }
  | { readonly kind: 'end'; readonly outcome: AgentOutcomeKind };

export const defaultRetries: RetryPolicy = { retries: 3, firstMs: 1000, longestMs: 30_000 };

const maxMessageChars = 500;

const usageLimits = [
  'billing_error',
  'insufficient_quota',
  'usage_limit_reached',
  'enforced_spend_limit_reached',
];

export function classifyError(error: ReportedError): ModelFailure {
  const { status, type, code, message, retryAfterMs, resetAtMs } = error;
  const words = [status, code ?? type, message].filter((part) => part !== null && part !== '');
  return {
    kind: kindOf(error),
    message: words.join(' ').slice(0, maxMessageChars).toWellFormed(),
    retryAfterMs,
    resetAtMs,
  };
}

function kindOf({ status, type, code, message, resetAtMs }: ReportedError): ModelFailure['kind'] {
  const names = [type, code];
  const isOneOf = (...known: readonly string[]): boolean =>
    names.some((name) => name !== null && known.includes(name));
  if (status === 402 || resetAtMs !== null || isOneOf(...usageLimits)) return 'usage-limit';
  if (status === 401 || status === 403 || isOneOf('authentication_error', 'permission_error')) {
    return 'auth';
  }
  if (status === 429 || isOneOf('rate_limit_error', 'rate_limit_exceeded')) return 'rate-limited';
  if (status === 413 || isOneOf('context_length_exceeded', 'request_too_large'))
    return 'context-full';
  if (isTooLong(status, type, message)) return 'context-full';
  if (status === 408 || status === 409 || (status !== null && status >= 500)) return 'transient';
  if (status !== null && status >= 400) return 'invalid';
  return isOneOf('invalid_request_error', 'not_found_error') ? 'invalid' : 'transient';
}

/** Anthropic has no code of its own for this: the beginning of the API's message is all there is. */
function isTooLong(status: number | null, type: string | null, message: string | null): boolean {
  return (
    (status === 400 || status === null) &&
    type === 'invalid_request_error' &&
    (message ?? '').startsWith('prompt is too long')
  );
}

export function transientFailure(message: string): ModelFailure {
  return {
    kind: 'transient',
    message: message.slice(0, maxMessageChars).toWellFormed(),
    retryAfterMs: null,
    resetAtMs: null,
  };
}

/** `attempt` counts from 1; `chance` from 0 to 1 spreads the pauses by a quarter. */
export function afterFailure(
  failure: ModelFailure,
  attempt: number,
  policy: RetryPolicy,
  chance: number,
): AfterFailure {
  const end = { kind: 'end', outcome: outcomeOf(failure) } as const;
  const isWorthwhile = failure.kind === 'transient' || failure.kind === 'rate-limited';
  if (!isWorthwhile || attempt > policy.retries) return end;
  const backoffMs = policy.firstMs * 2 ** (attempt - 1) * (0.75 + chance / 2);
  const waitMs = Math.round(failure.retryAfterMs ?? backoffMs);
  return waitMs > policy.longestMs ? end : { kind: 'retry', waitMs };
}

function outcomeOf({ kind }: ModelFailure): AgentOutcomeKind {
  switch (kind) {
    case 'auth':
      return 'auth';
    case 'rate-limited':
      return 'rate_limited';
    case 'usage-limit':
      return 'usage_limit';
    case 'context-full':
      return 'context_full';
    case 'invalid':
    case 'transient':
      return 'api_error';
  }
}
