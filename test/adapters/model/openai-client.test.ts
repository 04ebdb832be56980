import { describe, expect, test } from 'vitest';
import { createSystemClock } from '../../../src/adapters/clock/system-clock.ts';
import { createOpenAiClient } from '../../../src/adapters/model/openai-client.ts';
import type { Endpoint, ModelRequest } from '../../../src/ports/model-client.ts';
import { rawServer, streamed } from './raw-server.ts';

const never = new AbortController().signal;
const request: ModelRequest = {
  system: 'Be good.',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
  tools: [{ name: 'read', description: 'Reads.', schema: { type: 'object' } }],
};
const endpoint = (url: string, changes: Partial<Endpoint> = {}): Endpoint => ({
  provider: 'openai',
  baseUrl: `${url}/v1`,
  key: 'the-key',
  model: 'm',
  maxOutputTokens: null,
  stallMs: 60_000,
  ...changes,
});
const ask = (url: string, changes: Partial<Endpoint> = {}, given = request) =>
  createOpenAiClient(endpoint(url, changes), createSystemClock()).send(given, never);

const delta = (value: object, finish: string | null = null) => ({
  choices: [{ index: 0, delta: value, finish_reason: finish }],
});
const part = (index: number, call: object) => delta({ tool_calls: [{ index, ...call }] });

describe('a streamed completion', () => {
  const events = [
    delta({ role: 'assistant', content: '' }),
    delta({ content: 'Grüße, ' }),
    delta({ content: '🌍!' }),
    part(0, { id: 'c1', type: 'function', function: { name: 'read', arguments: '' } }),
    part(0, { function: { arguments: '{"path":' } }),
    part(1, { id: 'c2', function: { name: 'list', arguments: '' } }),
    part(0, { function: { arguments: '"ä.txt"}' } }),
    delta({}, 'tool_calls'),
    {
      choices: [],
      usage: {
        prompt_tokens: 100,
        completion_tokens: 7,
        prompt_tokens_details: { cached_tokens: 60 },
      },
    },
    '[DONE]',
  ];

  test.each([1, 3, 7, 1 << 20])('is the same in pieces of %i bytes', async (pieceBytes) => {
    await using server = await rawServer(streamed(events, pieceBytes));
    expect(await ask(server.url)).toEqual({
      kind: 'replied',
      reply: {
        content: [
          { type: 'text', text: 'Grüße, 🌍!' },
          { type: 'call', id: 'c1', name: 'read', input: { path: 'ä.txt' }, fault: null },
          { type: 'call', id: 'c2', name: 'list', input: {}, fault: null },
        ],
        stop: 'calls',
        stopWord: 'tool_calls',
        tokens: { input: 40, output: 7, cacheRead: 60, cacheWrite: 0 },
      },
    });
  });

  test.each<[string, readonly (string | object)[], object]>([
    ['no reason to stop', [delta({ content: 'half' })], { message: 'the stream ended early' }],
    ['nothing', [], { message: 'the stream ended early' }],
    ['no JSON', ['{"choices":['], { message: expect.stringContaining('no chat completion') }],
    [
      'something else',
      [{ choices: 7 }],
      { message: expect.stringContaining('no chat completion') },
    ],
    [
      'an error',
      [delta({ content: 'x' }), { error: { message: 'busy', type: 'server_error' } }],
      { kind: 'transient', message: 'server_error busy' },
    ],
    [
      'a limit',
      [{ error: { message: 'slow', code: 'rate_limit_exceeded' } }],
      { kind: 'rate-limited' },
    ],
  ])('with %s is a failure', async (_, given, failure) => {
    await using server = await rawServer(streamed(given));
    expect(await ask(server.url)).toMatchObject({
      kind: 'failed',
      failure: { kind: 'transient', ...failure },
    });
  });

  test.each([
    ['length', {}, 'output-limit'],
    ['content_filter', {}, 'refusal'],
    ['stop', { refusal: 'No.' }, 'refusal'],
    ['stop', {}, 'end'],
    ['weird', {}, 'unknown'],
  ])('that stops with %s %j', async (word, last, stop) => {
    await using server = await rawServer(streamed([delta(last, word)]));
    expect(await ask(server.url)).toMatchObject({ reply: { stop, stopWord: word, tokens: null } });
  });

  test('whose call cannot be read says so', async () => {
    const calls = [
      part(0, { id: 'a', function: { name: 'read', arguments: '{"path"' } }),
      part(1, { id: 'b', function: { name: 'read', arguments: '[1]' } }),
    ];
    await using server = await rawServer(streamed([...calls, delta({}, 'tool_calls')]));
    expect(await ask(server.url)).toMatchObject({
      reply: {
        content: [
          { fault: 'the input is not valid JSON' },
          { fault: 'the input is not an object' },
        ],
      },
    });
  });

  test('with absurd usage is not believed', async () => {
    const usage = {
      prompt_tokens: -5,
      completion_tokens: 'many',
      prompt_tokens_details: { cached_tokens: 9 },
    };
    await using server = await rawServer(streamed([{ ...delta({ content: 'x' }, 'stop'), usage }]));
    expect(await ask(server.url)).toMatchObject({
      reply: { tokens: { input: 0, output: 0, cacheRead: 0 } },
    });
  });
});

test('an answer in one piece is taken as well', async () => {
  await using server = await rawServer((response) => {
    response.setHeader('content-type', 'application/json');
    const message = { role: 'assistant', content: 'whole', tool_calls: null };
    response.end(JSON.stringify({ choices: [{ message, finish_reason: 'stop' }] }));
  });
  expect(await ask(server.url)).toMatchObject({
    reply: { content: [{ text: 'whole' }], stop: 'end' },
  });
});

test.each<[string, number, string, object]>([
  ['a page of a proxy', 502, '<html>429 rate limit</html>', { kind: 'transient' }],
  [
    'a text',
    400,
    '{"error":"model is required"}',
    { kind: 'invalid', message: '400 model is required' },
  ],
  ['nothing', 401, '', { kind: 'auth' }],
  [
    'a code that is a number',
    429,
    '{"error":{"code":429,"message":"slow"}}',
    { kind: 'rate-limited' },
  ],
])('an error that is %s', async (_, status, body, failure) => {
  await using server = await rawServer((response) => {
    response.writeHead(status);
    response.end(body);
  });
  expect(await ask(server.url)).toMatchObject({ kind: 'failed', failure });
});

test('an empty answer is a failure', async () => {
  await using server = await rawServer((response) => response.end());
  expect(await ask(server.url)).toMatchObject({ kind: 'failed', failure: { kind: 'transient' } });
});

test('a key never follows a redirect', async () => {
  await using thief = await rawServer((response) => response.end('{}'));
  await using server = await rawServer((response) => {
    response.writeHead(307, { location: `${thief.url}/v1/chat/completions` });
    response.end();
  });
  expect(await ask(server.url)).toMatchObject({ kind: 'failed' });
  expect(thief.asked).toEqual([]);
});

test('a reply without end is given up', async () => {
  await using server = await rawServer((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const event = `data: ${JSON.stringify(delta({ content: 'x'.repeat(100_000) }))}\n\n`;
    const more = (): void => {
      while (!response.destroyed && response.write(event));
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  });
  expect(await ask(server.url)).toMatchObject({
    kind: 'failed',
    failure: { message: 'the reply is larger than 8 MB' },
  });
});

test('asks in the words of the protocol', async () => {
  await using server = await rawServer(streamed([delta({ content: 'ok' }, 'stop')]));
  const messages: ModelRequest['messages'] = [
    { role: 'user', content: [{ type: 'text', text: 'hi' }] },
    {
      role: 'assistant',
      content: [
        { type: 'opaque', value: { type: 'thinking' } },
        { type: 'call', id: 'c1', name: 'read', input: { path: 'a' }, fault: null },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'result', callId: 'c1', text: 'gone', isError: true },
        { type: 'text', text: 'Go on.' },
      ],
    },
  ];
  await ask(server.url, { maxOutputTokens: 99 }, { ...request, messages });
  expect(server.asked[0]).toMatchObject({
    url: '/v1/chat/completions',
    headers: { authorization: 'Bearer the-key' },
    body: {
      model: 'm',
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 99,
      tools: [
        {
          type: 'function',
          function: { name: 'read', description: 'Reads.', parameters: { type: 'object' } },
        },
      ],
      messages: [
        { role: 'system', content: 'Be good.' },
        { role: 'user', content: 'hi' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'c1', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'Error: gone' },
        { role: 'user', content: 'Go on.' },
      ],
    },
  });
  await ask(server.url, { key: null });
  expect(server.asked[1]?.headers['authorization']).toBeUndefined();
});

test('throws the reason of whoever stops it', async () => {
  const stop = new AbortController();
  await using server = await rawServer(() => stop.abort(new Error('enough')));
  const client = createOpenAiClient(endpoint(server.url), createSystemClock());
  await expect(client.send(request, stop.signal)).rejects.toThrow('enough');
  await expect(client.send(request, stop.signal)).rejects.toThrow('enough');
});
