/** What the adapters of agent CLIs have in common: how they are configured, and what their streams tell. */
import type {
  AgentOutcome,
  AgentOutcomeKind,
  ModelUsage,
  Tokens,
} from '../../core/agent/outcome.ts';
import type { AgentRun } from '../../ports/agent.ts';
import { bareOutcome } from './agent-outcome.ts';

export type CliSettings = {
  readonly name: string;
  /** Looked up on PATH unless it is a path. */
  readonly program: string;
  /** The user's own arguments, before those of the adapter. */
  readonly args: readonly string[];
  /** Address of the model's API; null: the agent's own. */
  readonly baseUrl: string | null;
  /** Variable that holds the key for it; null: the agent's own. */
  readonly keyVariable: string | null;
  /** Whether we run as root, which some agents refuse without a further word. */
  readonly isRoot: boolean;
};

/** Arguments unless the user has given that very flag. */
export function unlessGiven(
  { args }: CliSettings,
  flag: string,
  ...values: readonly string[]
): readonly string[] {
  const isGiven = args.some((arg) => arg === flag || arg.startsWith(`${flag}=`));
  return isGiven ? [] : [flag, ...values];
}

/** The prompt of an agent that has no second channel for a system prompt, or none that is wide enough. */
export function wholePrompt(run: AgentRun): string {
  return run.systemPrompt === null ? run.prompt : `${run.prompt}\n\n${run.systemPrompt}`;
}

/** The value of the configured key variable under the name the agent knows. */
export function keyAs(
  name: string,
  { keyVariable }: CliSettings,
  run: AgentRun,
): Record<string, string> {
  const value = keyVariable === null ? undefined : run.env[keyVariable];
  return value === undefined ? {} : { [name]: value };
}

/** What a stream has told so far, for every agent alike. Bounded. */
export type Seen = {
  readonly sessionId: string | null;
  readonly model: string | null;
  readonly finalText: string;
  readonly tokens: Tokens | null;
  readonly costUsd: number | null;
  readonly turns: number;
  readonly contextPercent: number | null;
  /** The same tokens and cost by model, where the stream tells. */
  readonly models?: readonly ModelUsage[];
};

export const nothingSeen: Seen = {
  sessionId: null,
  model: null,
  finalText: '',
  tokens: null,
  costUsd: null,
  turns: 0,
  contextPercent: null,
};

const maxFinalChars = 256 * 1024;
const maxNameChars = 200;

/** The end of a message that may be of any length. A line that was cut in two must not pass for one of its own. */
export function boundedFinal(text: string): string {
  if (text.length <= maxFinalChars) return text.toWellFormed();
  const kept = text.slice(-maxFinalChars);
  const firstEnd = kept.indexOf('\n');
  return (firstEnd === -1 ? `…${kept}` : kept.slice(firstEnd + 1)).toWellFormed();
}

/** A name or id of the stream; null when there is none. */
export function boundedName(text: string): string | null {
  return text === '' ? null : text.slice(0, maxNameChars).toWellFormed();
}

const maxErrorChars = 4000;

/** What a program says of a failure, as long as anybody looks at it. */
export function boundedError(text: string): string {
  return text.slice(0, maxErrorChars).toWellFormed();
}

const maxEvidenceChars = 500;

/** The outcome of a run about which its stream said so much. */
export function outcomeOf(
  seen: Seen,
  kind: AgentOutcomeKind,
  evidence: string,
  times: Partial<Pick<AgentOutcome, 'retryAfterMs' | 'resetAtMs' | 'fault' | 'retries'>> = {},
): AgentOutcome {
  const { sessionId, model, tokens, costUsd, contextPercent, turns, models } = seen;
  return {
    ...bareOutcome(kind, boundedEvidence(evidence)),
    sessionId,
    model,
    tokens,
    costUsd,
    contextPercent,
    ...(models === undefined || models.length < 2 ? {} : { models }),
    ...times,
    finalText: boundedFinal(seen.finalText).trim(),
    turns: turns === 0 ? null : turns,
  };
}

function boundedEvidence(text: string): string {
  return text.length > maxEvidenceChars
    ? `${text.slice(0, maxEvidenceChars).toWellFormed()}…`
    : text.toWellFormed();
}

/** Percent of a context window; null when either is unknown. */
export function percentOf(used: number, window: number | null): number | null {
  if (window === null || window <= 0 || used <= 0) return null;
  return Math.min(100, Math.round((used / window) * 100));
}
