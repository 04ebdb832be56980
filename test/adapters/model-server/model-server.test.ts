/** Every wire format over real HTTP: what an agent would see. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  startModelServer,
  type ModelServer,
} from '../../../src/adapters/model-server/model-server.ts';
import { dialects, say, type Dialect } from '../../../src/adapters/model-server/scenario.ts';

let server: ModelServer;
const now = Date.UTC(2026, 10, 15, 12);
beforeAll(async () => {
  server = await startModelServer({
    clock: { now: () => now },
    scenarios: { echo: ({ messages }) => say(messages.join('|')) },
  });
});
afterAll(() => server[Symbol.asyncDispose]());

const schema = {
  type: 'object',
  properties: { file_path: { type: 'string' }, content: { type: 'string' } },
};

/** The same conversation in each wire format: a prompt, and as many results of tools as asked for. */
const requests: Record<
  Dialect,
  (stream: boolean, results: number) => [path: string, body: object]
> = {
  anthropic: (stream, results) => [
    '/v1/messages',
    {
      model: 'm',
      stream,
      tools: [{ name: 'Write', input_schema: schema }],
      messages: [
        { role: 'user', content: 'Earlier.' },
        { role: 'user', content: [{ type: 'text', text: 'Do it.' }] },
        ...Array.from({ length: results }, () => ({
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'a', content: 'ok' }],
        })),
      ],
    },
  ],
  responses: (stream, results) => [
    '/v1/responses',
    {
      model: 'm',
      stream,
      tools: [{ type: 'function', name: 'Write', parameters: schema }],
      input: [
        { role: 'user', content: 'Earlier.' },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Do it.' }] },
        ...Array.from({ length: results }, () => ({
          type: 'function_call_output',
          call_id: 'a',
          output: 'ok',
        })),
      ],
    },
  ],
  chat: (stream, results) => [
    '/v1/chat/completions',
    {
      model: 'm',
      stream,
      tools: [{ type: 'function', function: { name: 'Write', parameters: schema } }],
      messages: [
        { role: 'user', content: 'Earlier.' },
        { role: 'user', content: [{ type: 'text', text: 'Do it.' }] },
        ...Array.from({ length: results }, () => ({ role: 'tool', content: 'ok' })),
      ],
    },
  ],
  gemini: (stream, results) => [
    `/v1beta/models/m:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    {
      tools: [{ functionDeclarations: [{ name: 'Write', parametersJsonSchema: schema }] }],
      contents: [
        { role: 'user', parts: [{ text: 'Earlier.' }] },
        { role: 'user', parts: [{ text: 'Do it.' }] },
        ...Array.from({ length: results }, () => ({
          role: 'user',
          parts: [{ functionResponse: { name: 'Write', response: { output: 'ok' } } }],
        })),
      ],
    },
  ],
};

async function ask(
  dialect: Dialect,
  scenario: string,
  options: { stream?: boolean; results?: number; runId?: string } = {},
): Promise<{ status: number; headers: Headers; text: string }> {
  const { stream = true, results = 0, runId = `${dialect}-${scenario}` } = options;
  const [path, body] = requests[dialect](stream, results);
  const response = await fetch(`${server.base(scenario, runId)}${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Of three requests of one run. */
async function statusesOf(dialect: Dialect, scenario: string): Promise<number[]> {
  const statuses: number[] = [];
  for (let request = 0; request < 3; request += 1) {
    statuses.push((await ask(dialect, scenario)).status);
  }
  return statuses;
}

/** What repeats the words that were streamed before. */
function isFinal(value: any): boolean {
  return /^response\.(output_item|completed|incomplete)/.test(value.type);
}

/** The joined words of an answer, wherever its format puts them. */
function wordsOf(text: string): string {
  const documents = text.startsWith('{')
    ? [text]
    : text
        .split('\n')
        .filter((line) => line.startsWith('data: {'))
        .map((line) => line.slice('data: '.length));
  const words: string[] = [];
  const visit = (value: any): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const key of ['text', 'content', 'delta']) {
      if (typeof value[key] === 'string') words.push(value[key]);
    }
    for (const each of Object.values(value)) visit(each);
  };
  for (const document of documents.map((each) => JSON.parse(each))) {
    if (!isFinal(document)) visit(document);
  }
  return words.join('');
}

describe.each(dialects)('%s', (dialect) => {
  test.each([true, false])(
    'a step is the number of results since the prompt (stream: %s)',
    async (stream) => {
      const first = await ask(dialect, 'ok', { stream, results: 0 });
      expect(first.status).toBe(200);
      expect(first.text).toContain('Write');
      expect(first.text.replaceAll('\\', '')).toContain('file_path');
      const second = await ask(dialect, 'ok', { stream, results: 1 });
      expect(wordsOf(second.text)).toBe('Done: wrote hello.txt.');
      const log = server.requests(`${dialect}-ok`).slice(-2);
      expect(log.map(({ kind, ask: asked }) => [kind, asked?.step, asked?.isStream])).toEqual([
        ['ask', 0, stream],
        ['ask', 1, stream],
      ]);
    },
  );

  test('a scenario of the test sees the plain messages', async () => {
    expect(wordsOf((await ask(dialect, 'echo', { results: 2 })).text)).toBe('Earlier.|Do it.');
  });

  test.each([401, 403, 404, 429, 500, 529])(
    'status %i has a body the provider would send',
    async (status) => {
      const reply = await ask(dialect, String(status));
      expect(reply.status).toBe(status);
      expect(JSON.parse(reply.text).error).toMatchObject({ message: `Scripted status ${status}.` });
      expect(reply.headers.get('retry-after')).toBe(null);
    },
  );

  test.each([
    ['429ra5', 'retry-after', '5'],
    ['429radate5', 'retry-after', 'Sun, 15 Nov 2026 12:00:05 GMT'],
    ['429rams1500', 'retry-after-ms', '1500'],
    ['429raabsurd', 'retry-after', '3155760000'],
    ['429raneg', 'retry-after', '-5'],
    ['429rajunk', 'retry-after', 'soon'],
  ])('%s says when to come again', async (scenario, header, value) => {
    expect((await ask(dialect, scenario)).headers.get(header)).toBe(value);
  });

  test('once and twice fail so often and then work', async () => {
    expect(await statusesOf(dialect, '500once')).toEqual([500, 200, 200]);
    expect(await statusesOf(dialect, '429twicera1')).toEqual([429, 429, 200]);
  });

  test('a cut stream begins and breaks, a second one is whole', async () => {
    await expect(ask(dialect, 'cutonce')).rejects.toThrow();
    expect((await ask(dialect, 'cutonce')).text).toContain('Write');
  });

  test('an error arrives within a stream that began well', async () => {
    const { status, text } = await ask(dialect, 'miderror');
    expect(status).toBe(200);
    expect(wordsOf(text)).toMatch(/^This/);
    expect(text).toMatch(/overloaded_error|Scripted error in the stream/);
  });

  test.each(['reset'])('%s drops the connection', async (scenario) => {
    await expect(ask(dialect, scenario)).rejects.toThrow('fetch failed');
  });

  test('the limits of a reply are said in the words of the provider', async () => {
    expect((await ask(dialect, 'maxtok')).text).toMatch(
      /max_tokens|max_output_tokens|"length"|MAX_TOKENS/,
    );
    expect((await ask(dialect, 'refusal')).text).toMatch(/refusal|content_filter|SAFETY/);
    const tooLong = await ask(dialect, 'toolong');
    expect(tooLong.status).toBe(400);
    expect(tooLong.text).toMatch(/too long|context_length_exceeded|exceeds the maximum/);
  });

  test('the same run continues after its token limit', async () => {
    expect(wordsOf((await ask(dialect, 'maxtok2')).text)).toBe('This is cut o');
    expect(wordsOf((await ask(dialect, 'maxtok2')).text)).toBe('ff and then continued.');
  });

  test('runs share nothing', async () => {
    expect((await ask(dialect, '500once', { runId: `${dialect}-a` })).status).toBe(500);
    expect((await ask(dialect, '500once', { runId: `${dialect}-b` })).status).toBe(500);
  });
});

test('a request without tools is a side request, whatever the scenario', async () => {
  const response = await fetch(`${server.base('500', 'side')}/v1/messages`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'A title?' }] }),
  });
  expect(response.status).toBe(200);
  expect(wordsOf(await response.text())).toBe('A scripted title');
  expect(server.requests('side').map(({ kind }) => kind)).toEqual(['side']);
});

test('tokens are counted and models listed', async () => {
  const base = server.base('ok', 'lists');
  const counted = await fetch(`${base}/v1/messages/count_tokens`, { method: 'POST', body: '{}' });
  expect(await counted.json()).toMatchObject({ input_tokens: 1000 });
  expect(await (await fetch(`${base}/v1/models`)).json()).toMatchObject({ object: 'list' });
});

test.each([
  ['/elsewhere', '{}', 404],
  ['/s/nosuch/r/v1/messages', '{}', 404],
  ['/s/ok/r/v1/messages', '{', 400],
  ['/s/ok/r/v1/nothing', '{}', 404],
  ['/s/%E0%A4%A/r/v1/messages', '{}', 404],
])('%s with %s is refused', async (path, body, status) => {
  expect((await fetch(`${server.url}${path}`, { method: 'POST', body })).status).toBe(status);
});

test('disposing drops a request that hangs', async () => {
  const own = await startModelServer();
  const body = JSON.stringify({ tools: [{ name: 'Write', input_schema: schema }], messages: [] });
  const hanging = fetch(`${own.base('hang', 'r')}/v1/messages`, { method: 'POST', body });
  const ended = expect(hanging).rejects.toThrow('fetch failed');
  await expect.poll(() => own.requests('r').length).toBe(1);
  await own[Symbol.asyncDispose]();
  await ended;
});
