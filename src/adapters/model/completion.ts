/** A chat completion, put together from its pieces. */
import { z } from 'zod';
import type { ModelReply, ReplyBlock, StopReason } from '../../core/agent/native/message.ts';
import { parseInput } from './call-input.ts';

const Count = z.number().int().min(0).nullish().catch(0);
const Text = z.string().nullish().catch(null);
const Delta = z.object({
  content: Text,
  refusal: Text,
  tool_calls: z
    .array(
      z.object({
        index: z.number().int().min(0).max(1000).nullish(),
        id: Text,
        function: z.object({ name: Text, arguments: Text }).nullish(),
      }),
    )
    .nullish(),
});

export const CompletionChunk = z.object({
  choices: z
    .array(
      z.object({
        delta: Delta.nullish(),
        /** Of a reply in one piece. */
        message: Delta.nullish(),
        finish_reason: z.string().max(100).nullish(),
      }),
    )
    .nullish(),
  usage: z
    .object({
      prompt_tokens: Count,
      completion_tokens: Count,
      prompt_tokens_details: z.object({ cached_tokens: Count }).nullish().catch(null),
    })
    .nullish()
    .catch(null),
  error: z.unknown().optional(),
});
export type CompletionChunk = z.output<typeof CompletionChunk>;

export type Completion = {
  add(chunk: CompletionChunk): void;
  /** Null when the model has not said why it stopped: then something is missing. */
  reply(): ModelReply | null;
};

type PartialCall = { id: string; name: string; input: string };

export function createCompletion(): Completion {
  const calls = new Map<number, PartialCall>();
  const texts: string[] = [];
  let isRefused = false;
  let finish: string | null = null;
  let tokens: ModelReply['tokens'] = null;

  function take(delta: z.output<typeof Delta>): void {
    if (delta.content != null) texts.push(delta.content);
    if (delta.refusal != null && delta.refusal !== '') {
      isRefused = true;
      texts.push(delta.refusal);
    }
    for (const [position, part] of (delta.tool_calls ?? []).entries()) {
      const index = part.index ?? position;
      const call = calls.get(index) ?? { id: '', name: '', input: '' };
      if (part.id != null && part.id !== '') call.id = part.id;
      call.name += part.function?.name ?? '';
      call.input += part.function?.arguments ?? '';
      calls.set(index, call);
    }
  }

  return {
    add({ choices, usage }) {
      const choice = choices?.[0];
      const delta = choice?.delta ?? choice?.message;
      if (delta != null) take(delta);
      finish = choice?.finish_reason ?? finish;
      if (usage != null) tokens = tokensOf(usage);
    },
    reply() {
      if (finish === null) return null;
      const text = texts.join('');
      const content: ReplyBlock[] = text === '' ? [] : [{ type: 'text', text }];
      for (const [index, { id, name, input }] of calls) {
        content.push({ type: 'call', id: id || `call_${index}`, name, ...parseInput(input) });
      }
      const stop = isRefused ? 'refusal' : stopOf(finish);
      return { content, stop, stopWord: finish, tokens };
    },
  };
}

function tokensOf(usage: NonNullable<CompletionChunk['usage']>): ModelReply['tokens'] {
  const prompt = usage.prompt_tokens ?? 0;
  const cacheRead = Math.min(usage.prompt_tokens_details?.cached_tokens ?? 0, prompt);
  return {
    input: prompt - cacheRead,
    output: usage.completion_tokens ?? 0,
    cacheRead,
    cacheWrite: 0,
  };
}

function stopOf(reason: string): StopReason {
  switch (reason) {
    case 'stop':
      return 'end';
    case 'tool_calls':
    case 'function_call':
      return 'calls';
    case 'length':
      return 'output-limit';
    case 'content_filter':
      return 'refusal';
    default:
      return 'unknown';
  }
}
