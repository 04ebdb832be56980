/** A conversation with a model, the same for every provider. */
import type { Tokens } from '../outcome.ts';

export type ToolCall = {
  readonly type: 'call';
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** Why the input could not be read; null when it could. */
  readonly fault: string | null;
};

export type ReplyBlock =
  | { readonly type: 'text'; readonly text: string }
  | ToolCall
  /** Something only its provider understands, sent back as it came. */
  | { readonly type: 'opaque'; readonly value: unknown };

export type ToolResult = {
  readonly type: 'result';
  readonly callId: string;
  readonly text: string;
  readonly isError: boolean;
};

export type UserBlock = { readonly type: 'text'; readonly text: string } | ToolResult;

export type Message =
  | { readonly role: 'user'; readonly content: readonly UserBlock[] }
  | { readonly role: 'assistant'; readonly content: readonly ReplyBlock[] };

export type StopReason =
  | 'end'
  | 'calls'
  | 'output-limit'
  | 'refusal'
  | 'window-full'
  | 'pause'
  | 'unknown';

export type ModelReply = {
  readonly content: readonly ReplyBlock[];
  readonly stop: StopReason;
  /** The provider's own word for it. */
  readonly stopWord: string;
  /** Null when the provider does not say. */
  readonly tokens: Tokens | null;
};

export function textOf(reply: Pick<ModelReply, 'content'>): string {
  return reply.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
}

export function callsOf(reply: Pick<ModelReply, 'content'>): readonly ToolCall[] {
  return reply.content.flatMap((block) => (block.type === 'call' ? [block] : []));
}
