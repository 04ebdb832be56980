/** Gemini `generateContent` and `streamGenerateContent`. */
import { isObject, listAt, objectAt, textAt } from '../../../core/json/fields.ts';
import { schemaTool, textOf } from '../body.ts';
import type { Tool } from '../scenario.ts';
import { halves, type Message, type WireFormat } from './dialect.ts';

const statusNames: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
};

export const gemini: WireFormat = {
  dialect: 'gemini',
  closing: '',
  read(body, path) {
    const contents = listAt(body, 'contents').filter((each) => textAt(each, 'role') !== 'model');
    const isPlain = (content: unknown): boolean => resultsOf(content).length === 0;
    const results = contents.slice(contents.findLastIndex(isPlain) + 1).flatMap(resultsOf);
    return {
      model: /\/models\/([^/:]+)/.exec(path)?.[1] ?? '',
      isStream: path.includes(':streamGenerateContent'),
      system: textOf(objectAt(body, 'systemInstruction')['parts']),
      messages: contents.filter(isPlain).map((each) => textOf(listAt(each, 'parts'))),
      results: results.map((each) =>
        JSON.stringify(objectAt(each, 'functionResponse')['response'] ?? null),
      ),
      step: results.length,
      tools: listAt(body, 'tools').flatMap(toolsOf),
    };
  },
  plain: (message) => answer(message, partsOf(message), finishReason(message)),
  stream(message) {
    const parts =
      message.stop === 'refusal'
        ? []
        : [...halves(message.text).map((text) => ({ text })), ...callsOf(message)];
    return [
      ...parts.map((part) => ({ name: null, data: answer(message, [part], null) })),
      { name: null, data: answer(message, [], finishReason(message)) },
    ];
  },
  streamError: () => ({
    name: null,
    data: { error: { code: 500, message: 'Scripted error in the stream.', status: 'INTERNAL' } },
  }),
  failure({ status, problem, retryAfterSeconds }) {
    const message =
      problem === 'context'
        ? 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'
        : `Scripted status ${status}.`;
    const retry = {
      '@type': 'type.googleapis.com/google.rpc.RetryInfo',
      retryDelay: `${retryAfterSeconds}s`,
    };
    const details = retryAfterSeconds === null ? [] : [retry];
    return {
      headers: {},
      body: {
        error: { code: status, message, status: statusNames[status] ?? 'INTERNAL', details },
      },
    };
  },
};

function resultsOf(content: unknown): readonly unknown[] {
  return listAt(content, 'parts').filter((part) => isObject(part) && 'functionResponse' in part);
}

function toolsOf(group: unknown): readonly Tool[] {
  return listAt(group, 'functionDeclarations').map((declared) => {
    const schema = objectAt(declared, 'parametersJsonSchema');
    const parameters = 'properties' in schema ? schema : objectAt(declared, 'parameters');
    return schemaTool(textAt(declared, 'name'), parameters);
  });
}

function callsOf({ calls }: Message): readonly unknown[] {
  return calls.map((call) => ({
    functionCall: {
      name: call.name,
      args: typeof call.input === 'string' ? { input: call.input } : call.input,
    },
  }));
}

function partsOf(message: Message): readonly unknown[] {
  if (message.stop === 'refusal') return [];
  return [...(message.text === '' ? [] : [{ text: message.text }]), ...callsOf(message)];
}

function answer({ id, model, usage }: Message, parts: readonly unknown[], finish: string | null) {
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  return {
    responseId: id,
    modelVersion: model,
    candidates: [
      {
        index: 0,
        content: { role: 'model', parts },
        ...(finish === null ? {} : { finishReason: finish }),
      },
    ],
    usageMetadata: {
      promptTokenCount: prompt,
      cachedContentTokenCount: usage.cacheRead,
      candidatesTokenCount: usage.output,
      totalTokenCount: prompt + usage.output,
    },
  };
}

function finishReason({ stop }: Message): string {
  if (stop === 'max_tokens') return 'MAX_TOKENS';
  return stop === 'refusal' ? 'SAFETY' : 'STOP';
}
