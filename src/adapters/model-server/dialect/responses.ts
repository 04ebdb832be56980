/** OpenAI Responses. */
import { isObject, listAt, objectAt, textAt } from '../../../core/json/fields.ts';
import { contentText, schemaTool, textOf } from '../body.ts';
import type { Tool } from '../scenario.ts';
import { halves, inputText, type Message, type ServerSent, type WireFormat } from './dialect.ts';
import { openaiFailure } from './openai-failure.ts';

const outputTypes = ['function_call_output', 'custom_tool_call_output', 'local_shell_call_output'];

export const responses: WireFormat = {
  dialect: 'responses',
  closing: '',
  read(body) {
    const input =
      isObject(body) && typeof body['input'] === 'string'
        ? [asUser(body['input'])]
        : listAt(body, 'input');
    const results = input.slice(input.findLastIndex(isPlain) + 1).filter(isResult);
    const developer = input.filter((item) =>
      ['system', 'developer'].includes(textAt(item, 'role')),
    );
    return {
      model: textAt(body, 'model'),
      isStream: isObject(body) && body['stream'] === true,
      system: [textAt(body, 'instructions'), ...developer.map(contentText)].join('\n'),
      messages: input.filter(isPlain).map(contentText),
      results: results.map((item) => textOf(isObject(item) ? item['output'] : '')),
      step: results.length,
      tools: [...listAt(body, 'tools'), ...input.flatMap(toolsWithin)].flatMap(toolsOf),
    };
  },
  plain: responseOf,
  stream(message) {
    const open = { ...envelope(message), status: 'in_progress', output: [] };
    const closing = message.stop === 'max_tokens' ? 'response.incomplete' : 'response.completed';
    return [
      event('response.created', { response: open }),
      ...itemsOf(message).flatMap(itemEvents),
      event(closing, { response: responseOf(message) }),
    ];
  },
  streamError: () =>
    event('response.failed', {
      response: {
        id: 'resp_failed',
        object: 'response',
        status: 'failed',
        output: [],
        error: { code: 'server_error', message: 'Scripted error in the stream.' },
      },
    }),
  failure: openaiFailure,
};

function isPlain(item: unknown): boolean {
  return textAt(item, 'role') === 'user';
}

function isResult(item: unknown): boolean {
  return outputTypes.includes(textAt(item, 'type'));
}

function asUser(text: string): unknown {
  return { type: 'message', role: 'user', content: text };
}

/** Newer models are told of their tools within the conversation. */
function toolsWithin(item: unknown): readonly unknown[] {
  return textAt(item, 'type') === 'additional_tools' ? listAt(item, 'tools') : [];
}

function toolsOf(tool: unknown): readonly Tool[] {
  return textAt(tool, 'type') === 'namespace' ? listAt(tool, 'tools').map(toolOf) : [toolOf(tool)];
}

function toolOf(tool: unknown): Tool {
  const name = textAt(tool, 'name') || textAt(tool, 'type');
  if (textAt(tool, 'type') === 'custom') {
    return { name, properties: [], lists: [], isFreeform: true };
  }
  return schemaTool(name, objectAt(tool, 'parameters'));
}

function event(type: string, fields: Readonly<Record<string, unknown>>): ServerSent {
  return { name: type, data: { type, ...fields } };
}

function envelope({ id, model }: Message) {
  return { id: `resp_${id}`, object: 'response', created_at: 0, model, error: null };
}

function responseOf(message: Message) {
  const isCut = message.stop === 'max_tokens';
  return {
    ...envelope(message),
    status: isCut ? 'incomplete' : 'completed',
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
    output: itemsOf(message),
    usage: usageOf(message),
  };
}

type Item = Readonly<Record<string, unknown>> & { readonly id: string; readonly type: string };

function itemsOf({ id, text, calls, stop }: Message): readonly Item[] {
  const part =
    stop === 'refusal'
      ? { type: 'refusal', refusal: text }
      : { type: 'output_text', text, annotations: [] };
  const said: Item = {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    status: stop === 'max_tokens' ? 'incomplete' : 'completed',
    content: [part],
  };
  const called = calls.map((call, index): Item => {
    const shared = {
      id: `item_${id}_${index}`,
      call_id: `call_${id}_${index}`,
      name: call.name,
      status: 'completed',
    };
    return typeof call.input === 'string'
      ? { ...shared, type: 'custom_tool_call', input: call.input }
      : { ...shared, type: 'function_call', arguments: inputText(call) };
  });
  return text === '' ? called : [said, ...called];
}

function itemEvents(item: Item, output_index: number): readonly ServerSent[] {
  const place = { item_id: item.id, output_index };
  const text = item.type === 'message' ? textOf(item['content']) : '';
  return [
    event('response.output_item.added', { output_index, item: { ...item, status: 'in_progress' } }),
    ...halves(text).map((delta) =>
      event('response.output_text.delta', { ...place, content_index: 0, delta }),
    ),
    event('response.output_item.done', { output_index, item }),
  ];
}

function usageOf({ usage }: Message) {
  const input = usage.input + usage.cacheRead + usage.cacheWrite;
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cacheRead },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + usage.output,
  };
}
