/** Anthropic Messages. */
import { isObject, listAt, objectAt, textAt } from '../../../core/json/fields.ts';
import { schemaTool, textOf } from '../body.ts';
import type { Tool } from '../scenario.ts';
import { halves, inputText, type Message, type ServerSent, type WireFormat } from './dialect.ts';

const errorTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

export const anthropic: WireFormat = {
  dialect: 'anthropic',
  closing: '',
  read(body) {
    const messages = listAt(body, 'messages').filter((each) => textAt(each, 'role') === 'user');
    const isPlain = (message: unknown): boolean => resultsOf(message).length === 0;
    const last = messages.findLastIndex(isPlain);
    const results = messages.slice(last + 1).flatMap(resultsOf);
    return {
      model: textAt(body, 'model'),
      isStream: isObject(body) && body['stream'] === true,
      system: isObject(body) ? textOf(body['system']) : '',
      messages: messages.filter(isPlain).map((each) => textOf(objectContent(each))),
      results: results.map((each) => textOf(objectContent(each))),
      step: results.length,
      tools: listAt(body, 'tools').map(toolOf),
    };
  },
  plain: (message) => ({
    ...envelope(message),
    content: contentOf(message),
    stop_reason: stopReason(message),
    usage: usageOf(message),
  }),
  stream: (message) => [
    {
      name: 'message_start',
      data: {
        type: 'message_start',
        message: {
          ...envelope(message),
          content: [],
          usage: { ...usageOf(message), output_tokens: 1 },
        },
      },
    },
    ...contentOf(message).flatMap(blockEvents),
    {
      name: 'message_delta',
      data: {
        type: 'message_delta',
        delta: { stop_reason: stopReason(message), stop_sequence: null },
        usage: usageOf(message),
      },
    },
    { name: 'message_stop', data: { type: 'message_stop' } },
  ],
  streamError: () => ({
    name: 'error',
    data: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
  }),
  failure({ status, problem, resetAtMs }) {
    const type = errorTypes[status] ?? 'api_error';
    const message =
      problem === 'context'
        ? 'prompt is too long: 210000 tokens > 200000 maximum'
        : `Scripted status ${status}.`;
    return {
      body: { type: 'error', error: { type, message }, request_id: 'req_scripted' },
      headers:
        problem === 'usage'
          ? {
              'anthropic-ratelimit-unified-status': 'rejected',
              'anthropic-ratelimit-unified-reset': String(Math.floor(resetAtMs / 1000)),
              'anthropic-ratelimit-unified-representative-claim': 'five_hour',
            }
          : {},
    };
  },
};

function objectContent(value: unknown): unknown {
  return isObject(value) ? value['content'] : undefined;
}

function resultsOf(message: unknown): readonly unknown[] {
  return listAt(message, 'content').filter((part) => textAt(part, 'type') === 'tool_result');
}

function toolOf(tool: unknown): Tool {
  return schemaTool(textAt(tool, 'name'), objectAt(tool, 'input_schema'));
}

function envelope({ id, model }: Message) {
  return {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    stop_reason: null,
    stop_sequence: null,
  };
}

type Block =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'tool_use';
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
    };

function contentOf({ id, text, calls }: Message): readonly Block[] {
  const said: readonly Block[] = text === '' ? [] : [{ type: 'text', text }];
  return [
    ...said,
    ...calls.map((call, index): Block => ({
      type: 'tool_use',
      id: `toolu_${id}_${index}`,
      name: call.name,
      input: call.input,
    })),
  ];
}

function blockEvents(block: Block, index: number): readonly ServerSent[] {
  const isText = block.type === 'text';
  const empty = isText ? { ...block, text: '' } : { ...block, input: {} };
  const deltas = isText
    ? halves(block.text).map((text) => ({ type: 'text_delta', text }))
    : halves(inputText({ name: block.name, input: inputOf(block.input) })).map((partial_json) => ({
        type: 'input_json_delta',
        partial_json,
      }));
  return [
    {
      name: 'content_block_start',
      data: { type: 'content_block_start', index, content_block: empty },
    },
    ...deltas.map((delta) => ({
      name: 'content_block_delta',
      data: { type: 'content_block_delta', index, delta },
    })),
    { name: 'content_block_stop', data: { type: 'content_block_stop', index } },
  ];
}

function inputOf(input: unknown): string | Readonly<Record<string, unknown>> {
  return isObject(input) ? input : String(input);
}

function stopReason({ stop, calls }: Message): string {
  if (stop !== 'end') return stop;
  return calls.length > 0 ? 'tool_use' : 'end_turn';
}

function usageOf({ usage }: Message) {
  return {
    input_tokens: usage.input,
    output_tokens: usage.output,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation_input_tokens: usage.cacheWrite,
  };
}
