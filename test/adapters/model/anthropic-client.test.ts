import { expect, test } from 'vitest';
import { createAnthropicClient } from '../../../src/adapters/model/anthropic-client.ts';
import { createSystemClock } from '../../../src/adapters/clock/system-clock.ts';
import type { Endpoint, ModelRequest } from '../../../src/ports/model-client.ts';
import { rawServer, streamed } from './raw-server.ts';

const never = new AbortController().signal;
const request: ModelRequest = {
  system: 'Be good.',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
  tools: [{ name: 'read', description: 'Reads.', schema: { type: 'object', properties: {} } }],
};
const endpoint = (url: string, changes: Partial<Endpoint> = {}): Endpoint => ({
  provider: 'anthropic',
  baseUrl: url,
  key: 'the-key',
  model: 'm',
  maxOutputTokens: null,
  stallMs: 60_000,
  ...changes,
});
const ask = (url: string, changes: Partial<Endpoint> = {}, given = request) =>
  createAnthropicClient(endpoint(url, changes), createSystemClock()).send(given, never);

const begin = {
  type: 'message_start',
  message: {
    id: 'x',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: {
      input_tokens: 10,
      output_tokens: 1,
      cache_read_input_tokens: 5,
      cache_creation_input_tokens: 3,
    },
  },
};
const block = (index: number, content_block: object) => ({
  type: 'content_block_start',
  index,
  content_block,
});
const piece = (index: number, delta: object) => ({ type: 'content_block_delta', index, delta });
const over = (index: number) => ({ type: 'content_block_stop', index });
const stop = (reason: string | null) => ({
  type: 'message_delta',
  delta: { stop_reason: reason, stop_sequence: null },
  usage: { output_tokens: 20 },
});
const end = { type: 'message_stop' };
const words = [
  block(0, { type: 'text', text: '' }),
  piece(0, { type: 'text_delta', text: 'Grüße 🌍' }),
  over(0),
];
const thought = [
  block(0, { type: 'thinking', thinking: '', signature: '' }),
  piece(0, { type: 'thinking_delta', thinking: 'Hm.' }),
  piece(0, { type: 'signature_delta', signature: 'sig' }),
  over(0),
];
const called = (json: readonly string[]) => [
  block(1, { type: 'tool_use', id: 'c1', name: 'read', input: {} }),
  ...json.map((partial_json) => piece(1, { type: 'input_json_delta', partial_json })),
  over(1),
];

test.each([1, 5, 1 << 20])('a reply is the same in pieces of %i bytes', async (pieceBytes) => {
  const events = [begin, ...thought, ...called(['{"pa', 'th":"ä"}']), stop('tool_use'), end];
  await using server = await rawServer(streamed(events, pieceBytes, true));
  expect(await ask(server.url)).toEqual({
    kind: 'replied',
    reply: {
      content: [
        { type: 'opaque', value: { type: 'thinking', thinking: 'Hm.', signature: 'sig' } },
        { type: 'call', id: 'c1', name: 'read', input: { path: 'ä' }, fault: null },
      ],
      stop: 'calls',
      stopWord: 'tool_use',
      tokens: { input: 10, output: 20, cacheRead: 5, cacheWrite: 3 },
    },
  });
});

test('a call that cannot be read is not mended but told', async () => {
  const events = [begin, ...thought, ...called(['{"path":"a']), stop('tool_use'), end];
  await using server = await rawServer(streamed(events, 1 << 20, true));
  expect(await ask(server.url)).toMatchObject({
    reply: { content: [{}, { type: 'call', input: {}, fault: 'the input is not valid JSON' }] },
  });
});

test.each<[string, readonly (string | object)[]]>([
  ['ends without its end', [begin, ...words, stop('end_turn')]],
  ['ends without a reason', [begin, ...words, end]],
  ['ends after a word', [begin, ...words.slice(0, 2)]],
  ['is empty', []],
  ['is not JSON', [begin, '{"type":']],
  ['begins twice', [begin, begin]],
])('a stream that %s is a failure worth repeating', async (_, events) => {
  await using server = await rawServer(streamed(events, 1 << 20, true));
  expect(await ask(server.url)).toMatchObject({ kind: 'failed', failure: { kind: 'transient' } });
});

test.each([
  ['end_turn', 'end'],
  ['stop_sequence', 'end'],
  ['max_tokens', 'output-limit'],
  ['refusal', 'refusal'],
  ['model_context_window_exceeded', 'window-full'],
  ['pause_turn', 'pause'],
  ['weird', 'unknown'],
])('%s means %s', async (word, meaning) => {
  await using server = await rawServer(streamed([begin, ...words, stop(word), end], 1 << 20, true));
  expect(await ask(server.url)).toMatchObject({
    reply: { stop: meaning, stopWord: word, content: [{ text: 'Grüße 🌍' }] },
  });
});

test.each<[string, number, string, object]>([
  ['a page of a proxy', 502, '<html>429 rate limit</html>', { kind: 'transient' }],
  ['nothing', 401, '', { kind: 'auth' }],
  [
    'a code',
    400,
    '{"type":"error","error":{"type":"invalid_request_error","message":"no","details":{"error_code":"enforced_spend_limit_reached"}}}',
    { kind: 'usage-limit' },
  ],
])('an error that is %s', async (_, status, body, failure) => {
  await using server = await rawServer((response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(body);
  });
  expect(await ask(server.url)).toMatchObject({ kind: 'failed', failure });
});

test('a key never follows a redirect', async () => {
  await using thief = await rawServer((response) => response.end('{}'));
  await using server = await rawServer((response) => {
    response.writeHead(307, { location: `${thief.url}/v1/messages` });
    response.end();
  });
  expect(await ask(server.url)).toMatchObject({ kind: 'failed' });
  expect(thief.asked).toEqual([]);
});

test('what only the provider understands goes back as it came', async () => {
  await using server = await rawServer(
    streamed([begin, ...words, stop('end_turn'), end], 1 << 20, true),
  );
  const value = { type: 'thinking', thinking: 'Hm.', signature: 'sig' };
  const messages: ModelRequest['messages'] = [
    { role: 'user', content: [{ type: 'text', text: 'hi' }] },
    {
      role: 'assistant',
      content: [
        { type: 'opaque', value },
        { type: 'call', id: 'c1', name: 'read', input: {}, fault: null },
      ],
    },
    { role: 'user', content: [{ type: 'result', callId: 'c1', text: '', isError: false }] },
  ];
  await ask(server.url, { maxOutputTokens: 77 }, { ...request, messages });
  expect(server.asked[0]).toMatchObject({
    url: '/v1/messages',
    headers: { authorization: 'Bearer the-key', 'x-api-key': 'the-key' },
    body: {
      max_tokens: 77,
      messages: [
        {},
        { content: [value, { type: 'tool_use', id: 'c1' }] },
        { content: [{ type: 'tool_result', content: '(nothing)' }] },
      ],
    },
  });
  expect(JSON.stringify(server.asked[0]?.body)).not.toContain('thread');
});

test('throws the reason of whoever stops it', async () => {
  const stopper = new AbortController();
  await using server = await rawServer(() => stopper.abort(new Error('enough')));
  const client = createAnthropicClient(endpoint(server.url), createSystemClock());
  await expect(client.send(request, stopper.signal)).rejects.toThrow('enough');
});
