/** OpenAI Chat Completions. */
import { isObject, listAt, objectAt, textAt } from '../../../core/json/fields.ts';
import { contentText, schemaTool } from '../body.ts';
import { halves, inputText, type Message, type ServerSent, type WireFormat } from './dialect.ts';
import { openaiFailure } from './openai-failure.ts';

export const chat: WireFormat = {
  dialect: 'chat',
  closing: 'data: [DONE]\n\n',
  read(body) {
    const messages = listAt(body, 'messages');
    const results = messages
      .slice(messages.findLastIndex(isPlain) + 1)
      .filter((message) => textAt(message, 'role') === 'tool');
    const system = messages.filter((each) =>
      ['system', 'developer'].includes(textAt(each, 'role')),
    );
    return {
      model: textAt(body, 'model'),
      isStream: isObject(body) && body['stream'] === true,
      system: system.map(contentText).join('\n'),
      messages: messages.filter(isPlain).map(contentText),
      results: results.map(contentText),
      step: results.length,
      tools: listAt(body, 'tools').map((tool) => {
        const described = objectAt(tool, 'function');
        return schemaTool(textAt(described, 'name'), objectAt(described, 'parameters'));
      }),
    };
  },
  plain: (message) => ({
    ...envelope(message, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: message.stop === 'refusal' || message.text === '' ? null : message.text,
          ...(message.stop === 'refusal' ? { refusal: message.text } : {}),
          ...(message.calls.length === 0 ? {} : { tool_calls: message.calls.map(callOf(message)) }),
        },
        finish_reason: finishReason(message),
      },
    ],
    usage: usageOf(message),
  }),
  stream(message) {
    const chunk = (delta: unknown, finish: string | null = null): ServerSent => ({
      name: null,
      data: {
        ...envelope(message, 'chat.completion.chunk'),
        choices: [{ index: 0, delta, finish_reason: finish }],
      },
    });
    const words = message.stop === 'refusal' ? 'refusal' : 'content';
    const usage = {
      name: null,
      data: { ...envelope(message, 'chat.completion.chunk'), choices: [], usage: usageOf(message) },
    };
    return [
      chunk({ role: 'assistant', content: '' }),
      ...halves(message.text).map((text) => chunk({ [words]: text })),
      ...message.calls.flatMap((call, index) =>
        callChunks(message, call, index).map((each) => chunk(each)),
      ),
      chunk({}, finishReason(message)),
      usage,
    ];
  },
  streamError: () => ({
    name: null,
    data: {
      error: {
        message: 'Scripted error in the stream.',
        type: 'server_error',
        code: 'server_error',
      },
    },
  }),
  failure: openaiFailure,
};

function isPlain(message: unknown): boolean {
  return textAt(message, 'role') === 'user';
}

function envelope({ id, model }: Message, object: string) {
  return { id: `chatcmpl_${id}`, object, created: 0, model };
}

type Call = Message['calls'][number];

function callOf({ id }: Message) {
  return (call: Call, index: number) => ({
    id: `call_${id}_${index}`,
    type: 'function',
    function: { name: call.name, arguments: inputText(call) },
  });
}

function callChunks(message: Message, call: Call, index: number): readonly unknown[] {
  const whole = callOf(message)(call, index);
  const opening = { ...whole, index, function: { name: call.name, arguments: '' } };
  return [
    { tool_calls: [opening] },
    ...halves(inputText(call)).map((part) => ({
      tool_calls: [{ index, function: { arguments: part } }],
    })),
  ];
}

function finishReason({ stop, calls }: Message): string {
  if (stop === 'max_tokens') return 'length';
  if (stop === 'refusal') return 'content_filter';
  return calls.length > 0 ? 'tool_calls' : 'stop';
}

function usageOf({ usage }: Message) {
  const prompt_tokens = usage.input + usage.cacheRead + usage.cacheWrite;
  return {
    prompt_tokens,
    completion_tokens: usage.output,
    total_tokens: prompt_tokens + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cacheRead },
  };
}
