import type { ModelFailure } from '../core/agent/native/failure.ts';
import type { Message, ModelReply } from '../core/agent/native/message.ts';

/** A tool as a model is told about it. */
export type ToolOffer = {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its input, an object. */
  readonly schema: Readonly<Record<string, unknown>>;
};

export type ModelRequest = {
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolOffer[];
};

export type ModelAnswer =
  | { readonly kind: 'replied'; readonly reply: ModelReply }
  | { readonly kind: 'failed'; readonly failure: ModelFailure };

/**
 * One model behind one endpoint. `send` makes one request and no second one: who asks decides what to repeat. A reply
 * is handed over whole, when its stream has ended well; a stream that broke is a failure, whatever it brought. It throws
 * the signal's reason when aborted, and nothing else for what networks and providers do.
 */
export interface ModelClient {
  send(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer>;
}

export type Endpoint = {
  readonly provider: 'anthropic' | 'openai';
  /** Null: the provider's own. */
  readonly baseUrl: string | null;
  /** Null: none is sent. */
  readonly key: string | null;
  readonly model: string;
  /** Tokens of one reply; null: the provider's or the client's default. */
  readonly maxOutputTokens: number | null;
  /** Time without a byte after which a request has failed. */
  readonly stallMs: number;
};
