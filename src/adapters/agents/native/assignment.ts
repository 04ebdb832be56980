import type { RetryPolicy } from '../../../core/agent/native/failure.ts';
import type { AgentOutcomeKind } from '../../../core/agent/outcome.ts';
import type { ToolName } from '../../../core/agent/native/tool.ts';
import type { Endpoint } from '../../../ports/model-client.ts';

/** What the program is told on stdin, as JSON. The one place where the key is. */
export type Assignment = {
  /** Why it cannot begin: then this is its result. */
  readonly obstacle: { readonly kind: AgentOutcomeKind; readonly evidence: string } | null;
  readonly endpoint: Endpoint;
  /** The variable that the key comes from, to name it when the key is refused. */
  readonly keyVariable: string;
  readonly prompt: string;
  readonly systemPrompt: string | null;
  readonly taskId: string;
  readonly maxTurns: number;
  readonly tools: readonly ToolName[];
  /** Commands its shell refuses. */
  readonly denied: readonly string[];
  /** Socket of the engine; null: nobody limits its requests or takes messages. */
  readonly door: string | null;
  /** Tokens the model can take; null when unknown. */
  readonly contextWindow: number | null;
  /** Where the context is full although the endpoint may not say so; null: it will say so. */
  readonly maxContextTokens: number | null;
  readonly retries: RetryPolicy;
};
