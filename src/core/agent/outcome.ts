/** How an agent run ended, as judged from its own stream (never from the exit code alone). */
export const agentOutcomeKinds = [
  'done',
  'refused',
  'max_tokens',
  'max_turns',
  'budget',
  'context_full',
  'rate_limited',
  'usage_limit',
  'auth',
  'api_error',
  'denied',
  'interrupted',
  'timeout',
  'hung',
  'crashed',
] as const;

export type AgentOutcomeKind = (typeof agentOutcomeKinds)[number];

/** Disjoint counts: `input` is what was neither read from nor written to a cache. */
export type Tokens = {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
};

/** What one model was used for in a run. */
export type ModelUsage = {
  /** Null: not known. */
  readonly model: string | null;
  readonly tokens: Tokens;
  readonly costUsd: number | null;
};

export type AgentOutcome = {
  readonly kind: AgentOutcomeKind;
  /** The final message; sigils are read from here and nowhere else. Bounded. */
  readonly finalText: string;
  readonly sessionId: string | null;
  /** It was to go on with a session and could not: nothing was done. */
  readonly sessionLost?: true;
  /** Usage of this run only; null when the agent does not report it. */
  readonly tokens: Tokens | null;
  /** As the agent reports it, for this run only. Null when unknown; never 0 for unknown. */
  readonly costUsd: number | null;
  readonly model: string | null;
  /** The same tokens and cost by model, for a run that used more than one. */
  readonly models?: readonly ModelUsage[];
  readonly turns: number | null;
  /** Percent of the model's context window used at the end; null when unknown. */
  readonly contextPercent: number | null;
  /** For rate_limited: milliseconds to wait as told by the provider. */
  readonly retryAfterMs: number | null;
  /** For usage_limit: when the window resets, UTC milliseconds. */
  readonly resetAtMs: number | null;
  /** The field, event or line that decided the kind, for people. */
  readonly evidence: string;
  /** For api_error: the request itself is at fault, or the agent made nothing of the answer. Absent: the provider failed. */
  readonly fault?: 'request';
  /** For api_error: how often the agent has repeated the request by itself. */
  readonly retries?: number;
  /** The stream says too little to be sure of the kind. */
  readonly confidence?: 'low';
};

/** One readable action of the agent, the same vocabulary for every agent. Live only; never stored as an event. */
export type Activity = {
  readonly kind: 'thinking' | 'reading' | 'editing' | 'running' | 'waiting' | 'saying' | 'finished';
  readonly text: string;
};

export function addTokens(a: Tokens | null, b: Tokens | null): Tokens | null {
  if (a === null) return b;
  if (b === null) return a;
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  };
}

export function totalTokens(tokens: Tokens): number {
  return tokens.input + tokens.output + tokens.cacheRead + tokens.cacheWrite;
}
