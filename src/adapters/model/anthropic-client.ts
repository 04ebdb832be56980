import { plainFault } from './plain-fault.ts';
import { APIError } from '@anthropic-ai/sdk/core/error';
import { BaseAnthropic } from '@anthropic-ai/sdk/client';
import {
  Messages,
  type ContentBlockParam,
  type MessageParam,
  type MessageStreamParams,
} from '@anthropic-ai/sdk/resources/messages/messages';
import { z } from 'zod';
import {
  classifyError,
  transientFailure,
  type ModelFailure,
} from '../../core/agent/native/failure.ts';
import type {
  Message,
  ModelReply,
  ReplyBlock,
  StopReason,
} from '../../core/agent/native/message.ts';
import { isTree } from '../../core/config/tree.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Endpoint, ModelClient, ModelRequest } from '../../ports/model-client.ts';
import { parseInput } from './call-input.ts';
import { retryAfterMs } from './retry-after.ts';
import { watchForStall } from './stall-watch.ts';

const defaultOutputTokens = 16_384;
/** The watch for stalls ends a request long before. */
const requestLimitMs = 3_600_000;
const maxReplyChars = 8 * 1024 * 1024;
const cache = { type: 'ephemeral' } as const;

/** Anthropic Messages, streamed. System prompt, tools and the conversation so far are cached by the provider. */
export function createAnthropicClient(endpoint: Endpoint, clock: Clock): ModelClient {
  const { baseUrl, key } = endpoint;
  // The whole client has every interface of the provider in it; this one has messages and no more.
  const client = new BaseAnthropic({
    apiKey: key ?? 'none',
    baseURL: baseUrl ?? 'https://api.anthropic.com',
    maxRetries: 0,
    timeout: requestLimitMs,
    logLevel: 'off',
    openTelemetry: false,
    // A key never follows a redirect to somebody else.
    fetchOptions: { redirect: 'error' },
    // Gateways that speak an older version of the protocol know the key by this name only.
    defaultHeaders: baseUrl === null || key === null ? {} : { 'x-api-key': key },
  });
  const messages = new Messages(client);
  return {
    async send(request, signal) {
      signal.throwIfAborted();
      using watch = watchForStall(endpoint.stallMs, clock, signal);
      try {
        const reply = await receive(messages, paramsOf(endpoint, request), watch);
        return { kind: 'replied', reply };
      } catch (error) {
        signal.throwIfAborted();
        const isStalled = watch.isStalled();
        const failure = isStalled ? transientFailure(stalled(endpoint)) : failureOf(error, clock);
        return { kind: 'failed', failure };
      }
    },
  };
}

function stalled({ stallMs }: Endpoint): string {
  return `the endpoint sent nothing for ${Math.round(stallMs / 1000)} s`;
}

async function receive(
  messages: Messages,
  params: MessageStreamParams,
  watch: { readonly signal: AbortSignal; heard(): void },
): Promise<ModelReply> {
  const stream = messages.stream(params, { signal: watch.signal });
  const inputs = new Map<number, string>();
  let size = 0;
  let isWhole = false;
  stream.on('connect', () => watch.heard());
  stream.on('streamEvent', (event) => {
    watch.heard();
    if (event.type === 'message_stop') isWhole = true;
    if (event.type !== 'content_block_delta') return;
    size += JSON.stringify(event.delta).length;
    if (size > maxReplyChars) stream.abort();
    if (event.delta.type !== 'input_json_delta') return;
    inputs.set(event.index, (inputs.get(event.index) ?? '') + event.delta.partial_json);
  });
  const message = FinalMessage.parse(await stream.finalMessage());
  // The library also takes a stream that merely stops for a whole message.
  if (!isWhole || message.stop_reason === null) throw new Error('the stream ended early');
  return {
    content: message.content.map((block, index) => blockOf(block, inputs.get(index))),
    stop: stopOf(message.stop_reason),
    stopWord: message.stop_reason,
    tokens: tokensOf(message.usage),
  };
}

const Count = z.number().int().min(0).nullish().catch(0);
const FinalMessage = z.object({
  content: z.array(z.looseObject({ type: z.string() })),
  stop_reason: z.string().max(100).nullable(),
  usage: z
    .object({
      input_tokens: Count,
      output_tokens: Count,
      cache_read_input_tokens: Count,
      cache_creation_input_tokens: Count,
    })
    .nullish()
    .catch(null),
});
type FinalMessage = z.output<typeof FinalMessage>;

function tokensOf(usage: FinalMessage['usage']): ModelReply['tokens'] {
  if (usage == null) return null;
  return {
    input: usage.input_tokens ?? 0,
    output: usage.output_tokens ?? 0,
    cacheRead: usage.cache_read_input_tokens ?? 0,
    cacheWrite: usage.cache_creation_input_tokens ?? 0,
  };
}

function blockOf(block: FinalMessage['content'][number], input: string | undefined): ReplyBlock {
  const { type, text, id, name } = block;
  if (type === 'text' && typeof text === 'string') return { type: 'text', text };
  if (type === 'tool_use' && typeof id === 'string' && typeof name === 'string') {
    return { type: 'call', id, name, ...parseInput(input ?? '') };
  }
  return { type: 'opaque', value: block };
}

function stopOf(reason: string): StopReason {
  switch (reason) {
    case 'end_turn':
    case 'stop_sequence':
      return 'end';
    case 'tool_use':
      return 'calls';
    case 'max_tokens':
      return 'output-limit';
    case 'refusal':
      return 'refusal';
    case 'model_context_window_exceeded':
      return 'window-full';
    case 'pause_turn':
      return 'pause';
    default:
      return 'unknown';
  }
}

const ErrorBody = z.object({
  error: z
    .object({
      type: z.string().nullish().catch(null),
      message: z.string().nullish().catch(null),
      details: z
        .object({ error_code: z.string().nullish().catch(null) })
        .nullish()
        .catch(null),
    })
    .nullish()
    .catch(null),
});

function failureOf(error: unknown, clock: Clock): ModelFailure {
  if (!(error instanceof APIError)) {
    return transientFailure(error instanceof Error ? error.message : String(error));
  }
  const headers: unknown = error.headers;
  // An error without headers never came from the endpoint: the connection failed.
  if (!(headers instanceof Headers)) return transientFailure(withCause(error));
  const status: unknown = error.status;
  const body = ErrorBody.safeParse(error.error).data?.error;
  return classifyError({
    status: typeof status === 'number' ? status : null,
    type: body?.type ?? null,
    code: body?.details?.error_code ?? null,
    message: body?.message ?? null,
    retryAfterMs: retryAfterMs(headers, clock.now()),
    resetAtMs: planResetMs(headers),
  });
}

/** Said with a refused request of a plan whose window is used up, in seconds. */
function planResetMs(headers: Headers): number | null {
  if (headers.get('anthropic-ratelimit-unified-status') !== 'rejected') return null;
  const seconds = Number(headers.get('anthropic-ratelimit-unified-reset') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : null;
}

function withCause(error: Error): string {
  const { cause } = error;
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  return plainFault(inner instanceof Error ? `${error.message} ${inner.message}` : error.message);
}

function paramsOf(
  { model, maxOutputTokens }: Endpoint,
  { system, messages, tools }: ModelRequest,
): MessageStreamParams {
  const offered = tools.map(({ name, description, schema }) => ({
    name,
    description,
    input_schema: { ...schema, type: 'object' } as const,
  }));
  return {
    model,
    max_tokens: maxOutputTokens ?? defaultOutputTokens,
    // What stands before the mark is cached: tools come first, then the system prompt.
    system: [{ type: 'text', text: system, cache_control: cache }],
    ...(offered.length === 0 ? {} : { tools: offered }),
    messages: messages.map((message, index) =>
      messageParam(message, index === messages.length - 1),
    ),
  };
}

/** The last block of the newest message carries a mark: the next request reads everything up to it from the cache. */
function messageParam(message: Message, isLast: boolean): MessageParam {
  if (message.role === 'assistant') {
    return { role: 'assistant', content: message.content.map(replyParam) };
  }
  const lastBlock = message.content.length - 1;
  return {
    role: 'user',
    content: message.content.map((block, index): ContentBlockParam => {
      const mark = isLast && index === lastBlock ? { cache_control: cache } : {};
      if (block.type === 'text') return { type: 'text', text: block.text, ...mark };
      const { callId, text, isError } = block;
      const content = text === '' ? '(nothing)' : text;
      return { type: 'tool_result', tool_use_id: callId, content, is_error: isError, ...mark };
    }),
  };
}

function replyParam(block: ReplyBlock): ContentBlockParam {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'call':
      return { type: 'tool_use', id: block.id, name: block.name, input: block.input ?? {} };
    case 'opaque':
      return isOwnBlock(block.value) ? block.value : { type: 'text', text: '(left out)' };
  }
}

/** It came from this very endpoint as a content block: what is in it is between the two. */
function isOwnBlock(value: unknown): value is ContentBlockParam {
  return isTree(value) && typeof value['type'] === 'string';
}
