import { callsOf, textOf, type Message } from '../../core/agent/native/message.ts';
import type { Endpoint, ModelRequest } from '../../ports/model-client.ts';

type JsonObject = Readonly<Record<string, unknown>>;

/** The body of a request for a streamed chat completion. */
export function completionRequest(endpoint: Endpoint, request: ModelRequest): JsonObject {
  const { model } = endpoint;
  const tools = request.tools.map(({ name, description, schema }) => ({
    type: 'function',
    function: { name, description, parameters: schema },
  }));
  return {
    model,
    stream: true,
    stream_options: { include_usage: true },
    ...outputLimit(endpoint),
    ...(tools.length === 0 ? {} : { tools }),
    messages: [
      { role: 'system', content: request.system },
      ...request.messages.flatMap(messagesOf),
    ],
  };
}

/** OpenAI's own models refuse the old name, and most others know only that one. */
function outputLimit({ baseUrl, maxOutputTokens }: Endpoint): JsonObject {
  if (maxOutputTokens === null) return {};
  const name = baseUrl === null ? 'max_completion_tokens' : 'max_tokens';
  return { [name]: maxOutputTokens };
}

/** Results of tools are messages of their own here, and come before what else is said. */
function messagesOf(message: Message): readonly JsonObject[] {
  if (message.role === 'assistant') return [assistantMessage(message)];
  const results = message.content.flatMap((block) =>
    block.type === 'result'
      ? [{ role: 'tool', tool_call_id: block.callId, content: marked(block.text, block.isError) }]
      : [],
  );
  const texts = message.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  return texts.length === 0 ? results : [...results, { role: 'user', content: texts.join('\n\n') }];
}

/** There is no field for it in this protocol. */
function marked(text: string, isError: boolean): string {
  return isError ? `Error: ${text}` : text;
}

function assistantMessage(message: Extract<Message, { role: 'assistant' }>): JsonObject {
  const calls = callsOf(message).map(({ id, name, input }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(input ?? {}) },
  }));
  const text = textOf(message);
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}
