import { plainFault } from './plain-fault.ts';
import { z } from 'zod';
import {
  classifyError,
  transientFailure,
  type ModelFailure,
} from '../../core/agent/native/failure.ts';
import type { ModelReply } from '../../core/agent/native/message.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Endpoint, ModelAnswer, ModelClient } from '../../ports/model-client.ts';
import { createCompletion, CompletionChunk } from './completion.ts';
import { completionRequest } from './completion-request.ts';
import { retryAfterMs } from './retry-after.ts';
import { readServerEvents } from './server-events.ts';
import { watchForStall, type StallWatch } from './stall-watch.ts';

const ownAddress = 'https://api.openai.com/v1';
const maxErrorChars = 65_536;
const maxReplyBytes = 8 * 1024 * 1024;

/** Chat completions as OpenAI and those who do as OpenAI does speak them, streamed. */
export function createOpenAiClient(endpoint: Endpoint, clock: Clock): ModelClient {
  const base = (endpoint.baseUrl ?? ownAddress).replace(/\/$/, '');
  return {
    async send(request, signal) {
      signal.throwIfAborted();
      using watch = watchForStall(endpoint.stallMs, clock, signal);
      try {
        const response = await fetch(`${base}/chat/completions`, {
          method: 'POST',
          headers: headersOf(endpoint),
          body: JSON.stringify(completionRequest(endpoint, request)),
          // A key never follows a redirect to somebody else.
          redirect: 'error',
          signal: watch.signal,
        });
        watch.heard();
        return await answerOf(response, watch, clock);
      } catch (error) {
        signal.throwIfAborted();
        const message = watch.isStalled()
          ? `the endpoint sent nothing for ${Math.round(endpoint.stallMs / 1000)} s`
          : describe(error);
        return { kind: 'failed', failure: transientFailure(message) };
      }
    },
  };
}

function headersOf({ key }: Endpoint): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: 'text/event-stream, application/json',
    ...(key === null ? {} : { authorization: `Bearer ${key}` }),
  };
}

async function answerOf(response: Response, watch: StallWatch, clock: Clock): Promise<ModelAnswer> {
  if (!response.ok) return { kind: 'failed', failure: await failureOf(response, clock) };
  if (response.body === null) return broken('the endpoint sent an empty reply');
  const isStream = (response.headers.get('content-type') ?? '').includes('event-stream');
  return isStream ? readStream(response.body, watch) : readWhole(response);
}

async function readStream(
  body: ReadableStream<Uint8Array>,
  watch: StallWatch,
): Promise<ModelAnswer> {
  const completion = createCompletion();
  let size = 0;
  for await (const data of readServerEvents(body, () => watch.heard())) {
    if (data === '[DONE]') break;
    size += data.length;
    if (size > maxReplyBytes) return broken('the reply is larger than 8 MB');
    const chunk = parseChunk(data);
    if (chunk === null) return broken('the endpoint sent something that is no chat completion');
    const error = ErrorBody.safeParse(chunk.error).data;
    if (error !== undefined) return { kind: 'failed', failure: reported(error, null, null) };
    completion.add(chunk);
  }
  return answer(completion.reply());
}

/** Some servers answer in one piece although a stream was asked for. */
async function readWhole(response: Response): Promise<ModelAnswer> {
  const completion = createCompletion();
  const chunk = parseChunk(await readText(response, maxReplyBytes));
  if (chunk === null) return broken('the endpoint sent something that is no chat completion');
  const error = ErrorBody.safeParse(chunk.error).data;
  if (error !== undefined) return { kind: 'failed', failure: reported(error, null, null) };
  completion.add(chunk);
  return answer(completion.reply());
}

function answer(reply: ModelReply | null): ModelAnswer {
  return reply === null ? broken('the stream ended early') : { kind: 'replied', reply };
}

function broken(message: string): ModelAnswer {
  return { kind: 'failed', failure: transientFailure(message) };
}

function parseChunk(text: string): CompletionChunk | null {
  try {
    return CompletionChunk.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    // Not JSON, so no chunk.
    return null;
  }
}

const Word = z
  .union([z.string(), z.number().transform(String)])
  .nullish()
  .catch(null);
const ErrorBody = z.union([
  z.object({
    type: Word,
    code: Word,
    message: Word,
    /** Seconds. */
    resets_at: z.number().positive().nullish().catch(null),
  }),
  z.string().transform((message) => ({ type: null, code: null, message, resets_at: null })),
]);
type ErrorBody = z.output<typeof ErrorBody>;
const ErrorReply = z.object({ error: ErrorBody });

async function failureOf(response: Response, clock: Clock): Promise<ModelFailure> {
  const wait = retryAfterMs(response.headers, clock.now());
  return reported(await readError(response), response.status, wait);
}

async function readError(response: Response): Promise<ErrorBody> {
  const text = await readText(response, maxErrorChars);
  try {
    const body = ErrorReply.safeParse(JSON.parse(text)).data;
    if (body !== undefined) return body.error;
  } catch {
    // A page of a proxy: its text is all there is, and decides nothing.
  }
  return {
    type: null,
    code: null,
    resets_at: null,
    message: text.slice(0, 200).replaceAll(/\s+/g, ' '),
  };
}

function reported(
  { type, code, message, resets_at: resetsAt }: ErrorBody,
  status: number | null,
  wait: number | null,
): ModelFailure {
  return classifyError({
    status,
    type: type ?? null,
    code: code ?? null,
    message: message ?? null,
    retryAfterMs: wait,
    resetAtMs: resetsAt == null ? null : resetsAt * 1000,
  });
}

async function readText(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return plainFault(
    error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message,
  );
}
