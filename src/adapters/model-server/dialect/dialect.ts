import type { Ask, Dialect, Usage } from '../scenario.ts';
import type { ToolCall } from '../tool-choice.ts';

/** What a wire format needs to know of a reply that has words or calls. */
export type Message = {
  /** Unique within the server. */
  readonly id: string;
  readonly model: string;
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly stop: 'end' | 'max_tokens' | 'refusal';
  readonly usage: Usage;
};

/** One server-sent event; `null` as name leaves the name out. */
export type ServerSent = { readonly name: string | null; readonly data: unknown };

export type Failure = {
  readonly status: number;
  readonly problem: 'context' | 'usage' | null;
  readonly retryAfterSeconds: number | null;
  /** UTC milliseconds. */
  readonly resetAtMs: number;
};

/** How one provider's requests and answers look. Pure. */
export type WireFormat = {
  readonly dialect: Dialect;
  read(body: unknown, path: string): Omit<Ask, 'dialect' | 'earlier'>;
  plain(message: Message): unknown;
  /** The whole stream. Cut streams are its first half. */
  stream(message: Message): readonly ServerSent[];
  /** An error within a stream that began well. */
  streamError(): ServerSent;
  /** What ends every good stream, after the events; empty for most. */
  readonly closing: string;
  failure(failure: Failure): {
    readonly body: unknown;
    readonly headers: Readonly<Record<string, string>>;
  };
};

/** Two halves, so that whoever reads a stream must join them. */
export function halves(text: string): readonly string[] {
  if (text.length < 2) return text === '' ? [] : [text];
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}

export function inputText(call: ToolCall): string {
  return typeof call.input === 'string' ? call.input : JSON.stringify(call.input);
}
