import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Ending } from '../../../../src/adapters/agents/native/conversation.ts';
import { lastTurnNotice } from '../../../../src/adapters/agents/native/tool/explore.ts';
import {
  startModelServer,
  type ModelServer,
} from '../../../../src/adapters/model-server/model-server.ts';
import { say, type Act, type Scenario } from '../../../../src/adapters/model-server/scenario.ts';
import { continueMessage, exploringNotice } from '../../../../src/core/agent/native/turn.ts';
import { providers, secretKey, workOn } from './native-work.ts';
import { shows } from '../../../support/shows.ts';

const call = (name: string, input: Record<string, unknown>): Act => ({ kind: 'tool', name, input });
const acts = (...list: readonly Act[]) => ({ kind: 'acts', acts: list }) as const;

/** By the number of requests and not of results, which notices would start anew. */
function inOrder(...replies: readonly ReturnType<Scenario>[]): Scenario {
  return ({ earlier }) => replies[Math.min(earlier, replies.length - 1)] ?? say('?');
}

const list = call('list', {});
const scenarios: Readonly<Record<string, Scenario>> = {
  completes: inOrder(acts(call('write', { path: 'a.txt', content: 'a\n' })), {
    ...acts(call('complete_task', { summary: 'Wrote ```a.txt.' })),
    text: 'All is well.',
  }),
  gives_up: inOrder(acts(call('complete_task', { summary: 'Cannot.', outcome: 'failed' }))),
  too_early: inOrder(
    acts(call('complete_task', { summary: 'Done.' }), call('bash', { command: 'exit 3' })),
    say('I looked again.'),
  ),
  explores: inOrder(...Array.from({ length: 7 }, () => acts(list)), say('Enough seen.')),
  edits_in_between: inOrder(
    acts(list, list, list, list),
    acts(call('write', { path: 'a.txt', content: 'a' })),
    acts(list, list),
    say('Done.'),
  ),
  delegates: ({ tools, results }) => {
    const isExplorer = !tools.some(({ name }) => name === 'bash');
    if (isExplorer) {
      return results.length === 0
        ? acts(call('read', { path: 'fact.txt' }))
        : say('The fact is 42.');
    }
    return results.length === 0
      ? acts(call('explore', { question: 'What is the fact?', depth: 'quick' }))
      : say(`Told: ${results.join()}`);
  },
  digs_for_ever: ({ tools, results }) => {
    if (!tools.some(({ name }) => name === 'bash'))
      return { ...acts(list), text: 'Still looking.' };
    return results.length === 0
      ? acts(call('explore', { question: 'Where?', depth: 'quick' }))
      : say(`Told: ${results.join()}`);
  },
  answers_last: ({ tools, results, messages }) => {
    if (!tools.some(({ name }) => name === 'bash')) {
      return results.length === 2 || messages.length === 2 ? say('It is in a.txt.') : acts(list);
    }
    return results.length === 0
      ? acts(call('explore', { question: 'Where?', depth: 'quick' }))
      : say(`Told: ${results.join()}`);
  },
  breaks_off: ({ tools, results }) => {
    if (!tools.some(({ name }) => name === 'bash')) {
      return results.length === 0 ? acts(list) : { kind: 'status', status: 400 };
    }
    return results.length === 0
      ? acts(call('explore', { question: 'Where?', depth: 'quick' }))
      : say(`Told: ${results.join()}`);
  },
  bad_input: inOrder(acts(call('read', { path: 7 })), say('Sorry.')),
};

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer({ scenarios });
});
afterAll(() => server[Symbol.asyncDispose]());

type Expected = Partial<Ending> & { readonly asks?: number; readonly files?: readonly string[] };

const soon = (ms: number) => expect.toSatisfy((value) => value > ms - 600_000 && value <= ms);
const inAnHour = () =>
  expect.toSatisfy((at: number) => Math.abs(at - Date.now() - 3_600_000) < 600_000);

const table: readonly [scenario: string, expected: Expected][] = [
  ['ok', { kind: 'done', finalText: 'Done: wrote hello.txt.', asks: 2, files: ['hello.txt'] }],
  ['two', { kind: 'done', turns: 3, asks: 3, files: ['hello.txt', 'other.txt'] }],
  ['bash', { kind: 'done', asks: 2, files: ['hello.txt'] }],
  ['fail', { kind: 'done', finalText: 'Done: the command failed.', asks: 2 }],
  ['badtool', { kind: 'done', asks: 3, files: ['hello.txt'] }],
  ['outside', { kind: 'done', asks: 2, files: [] }],
  ['bgsleep', { kind: 'done', asks: 2 }],
  ['text', { kind: 'done', finalText: 'Nothing needs to be done.', asks: 1 }],
  ['words', { kind: 'done', asks: 4, files: ['429 rate limit.txt', 'hello.txt'] }],
  ['big', { kind: 'done', asks: 2 }],
  ['refusal', { kind: 'refused', asks: 1 }],
  ['maxtok', { kind: 'max_tokens', asks: 4 }],
  ['maxtok2', { kind: 'done', finalText: 'This is cut off and then continued.', asks: 2 }],
  ['toolong', { kind: 'context_full', asks: 1 }],
  ['usagelimit', { kind: 'usage_limit', resetAtMs: inAnHour(), asks: 1 }],
  ['401', { kind: 'auth', asks: 1 }],
  ['402', { kind: 'usage_limit', resetAtMs: null, asks: 1 }],
  ['403', { kind: 'auth', asks: 1 }],
  ['404', { kind: 'api_error', asks: 1 }],
  ['429', { kind: 'rate_limited', retryAfterMs: null, asks: 3 }],
  ['429once', { kind: 'done', asks: 3, files: ['hello.txt'] }],
  ['429oncera0', { kind: 'done', asks: 3 }],
  ['429ra3600', { kind: 'rate_limited', retryAfterMs: 3_600_000, asks: 1 }],
  ['429radate3600', { kind: 'rate_limited', retryAfterMs: soon(3_600_000), asks: 1 }],
  ['429rams90000', { kind: 'rate_limited', retryAfterMs: 90_000, asks: 1 }],
  ['429raabsurd', { kind: 'rate_limited', retryAfterMs: null, asks: 3 }],
  ['429raneg', { kind: 'rate_limited', retryAfterMs: null, asks: 3 }],
  ['429rajunk', { kind: 'rate_limited', retryAfterMs: null, asks: 3 }],
  ['500', { kind: 'api_error', asks: 3 }],
  ['500twice', { kind: 'done', asks: 4, files: ['hello.txt'] }],
  ['529', { kind: 'api_error', asks: 3 }],
  ['reset', { kind: 'api_error', asks: 3 }],
  ['cut', { kind: 'api_error', asks: 3 }],
  ['cutonce', { kind: 'done', asks: 3, files: ['hello.txt'] }],
  ['miderror', { kind: 'api_error', asks: 3 }],
];

describe.each(providers)('the native agent on %s', (provider) => {
  test.each(table)('ends %s as it should', async (scenario, expected) => {
    const { asks, files, ...ending } = expected;
    await using run = await workOn(server, provider, scenario);
    expect(run.ending).toMatchObject(ending);
    expect(run.requests.length).toBe(asks);
    if (files !== undefined) expect((await readdir(run.folder)).toSorted()).toEqual(files);
    expect(existsSync(path.join(run.folder, '../outside.txt'))).toBe(false);
    expect(JSON.stringify(run.events)).not.toContain(secretKey);
  });

  test('a server that never answers is given up and asked again', async () => {
    await using run = await workOn(server, provider, 'hang', { stallMs: 50 });
    expect(run.ending).toMatchObject({
      kind: 'api_error',
      evidence: expect.stringContaining('sent nothing for'),
    });
    expect(run.requests.length).toBe(3);
  });

  test('nobody listening is an API error that names the reason', async () => {
    const address = 'http://127.0.0.1:9';
    const endpoint = {
      provider,
      baseUrl: address,
      key: secretKey,
      model: 'm',
      maxOutputTokens: null,
      stallMs: 60_000,
    };
    await using run = await workOn(server, provider, 'ok', { assignment: { endpoint } });
    expect(run.ending).toMatchObject({
      kind: 'api_error',
      evidence: expect.stringMatching(/ECONNREFUSED|bad port|fetch failed/),
    });
  });

  test('says what it waits for, and for how long the provider wants', async () => {
    await using run = await workOn(server, provider, '429oncerams250');
    expect(run.ending.kind).toBe('done');
    expect(run.events.filter(({ type }) => type === 'waiting')).toMatchObject([
      { attempt: 2, waitMs: 250, reason: expect.stringContaining('429') },
    ]);
  });

  test('stops at the turn limit, with the work of the last turn done', async () => {
    shows('002.turn-guard', '002.turn-is-call');
    await using run = await workOn(server, provider, 'loop', { assignment: { maxTurns: 3 } });
    expect(run.ending).toMatchObject({ kind: 'max_turns', turns: 3 });
    expect(run.requests.length).toBe(3);
    const done = await readFile(path.join(run.folder, 'turns.txt'), 'utf8');
    expect(done.trim().split('\n')).toHaveLength(3);
  });

  test('begins no further turn in a full context, when it is told the size', async () => {
    const assignment = { contextWindow: 200_000, maxContextTokens: 200_000 };
    await using run = await workOn(server, provider, 'big', { assignment });
    expect(run.ending).toMatchObject({
      kind: 'context_full',
      evidence: '198300 of 200000 tokens of the context are used',
    });
    expect(await readdir(run.folder)).toEqual(['hello.txt']);
  });

  test('asks to continue after a cut reply, with what it said so far', async () => {
    shows('002.max-tokens');
    await using run = await workOn(server, provider, 'maxtok2');
    expect(JSON.stringify(run.requests[1]?.body)).toContain('This is cut o');
    expect(run.requests[1]?.ask?.messages).toContain(continueMessage);
  });

  test('complete_task ends with a claim that the summary cannot hide', async () => {
    await using run = await workOn(server, provider, 'completes');
    expect(run.ending).toMatchObject({
      kind: 'done',
      evidence: 'complete_task was called',
      finalText:
        '<task-done>t-00000001</task-done>\n\n<summary>\nWrote ```a.txt.\n</summary>\n\nAll is well.',
    });
    expect(run.requests.length).toBe(2);
  });

  test('complete_task can say that the task failed', async () => {
    await using run = await workOn(server, provider, 'gives_up');
    expect(run.ending.finalText).toContain('<task-failed>t-00000001</task-failed>');
  });

  test('complete_task is refused while another call of the turn failed', async () => {
    await using run = await workOn(server, provider, 'too_early');
    expect(run.ending).toMatchObject({ kind: 'done', finalText: 'I looked again.' });
    expect(run.requests[1]?.ask?.results.join()).toContain('Another call of this turn failed');
  });

  test('five exploring calls without an edit bring one notice', async () => {
    await using run = await workOn(server, provider, 'explores');
    expect(run.ending.finalText).toBe('Enough seen.');
    expect(run.events.filter(({ type }) => type === 'notice')).toHaveLength(1);
    expect(JSON.stringify(run.requests[4]?.body)).not.toContain(exploringNotice);
    expect(JSON.stringify(run.requests[5]?.body)).toContain(exploringNotice);
  });

  test('an edit in between makes the notice needless', async () => {
    await using run = await workOn(server, provider, 'edits_in_between');
    expect(run.events.filter(({ type }) => type === 'notice')).toHaveLength(0);
  });

  test('an explorer reads for the agent, and what it uses counts', async () => {
    await using run = await workOn(server, provider, 'delegates', {
      prepare: (folder) => writeFile(path.join(folder, 'fact.txt'), '42\n'),
    });
    expect(run.ending.finalText).toContain('The fact is 42.');
    const explorer = run.requests.find(
      ({ ask }) => ask?.tools.every(({ name }) => name !== 'bash') === true,
    );
    expect(explorer?.ask?.tools.map(({ name }) => name)).toEqual([
      'read',
      'list',
      'glob',
      'grep',
      'tree',
    ]);
    expect(run.events.findLast(({ type }) => type === 'usage')).toMatchObject({
      tokens: { input: 4000, output: 400, cacheRead: 800 },
    });
  });

  test('an explorer that finds no end is stopped, and tells what it said', async () => {
    await using run = await workOn(server, provider, 'digs_for_ever');
    expect(run.ending.finalText).toContain('Still looking.');
    expect(run.ending.finalText).toContain('the limit of 3 turns is reached');
    expect(run.ending.finalText).toContain('It looked at:');
    expect(run.requests.length).toBe(5);
  });

  test('an explorer is told of its last turn, and answers with what it found', async () => {
    await using run = await workOn(server, provider, 'answers_last');
    expect(run.ending.finalText).toBe('Told: It is in a.txt.');
    const told = run.requests.map(({ body }) => JSON.stringify(body).includes(lastTurnNotice));
    expect(told).toEqual([false, false, false, true, false]);
  });

  test('an explorer whose API fails leaves a summary of what it looked at', async () => {
    await using run = await workOn(server, provider, 'breaks_off');
    expect(run.ending.finalText).toContain('The exploration gave no answer.');
    expect(run.ending.finalText).toContain('- list .');
  });

  test('input that does not fit goes back to the model', async () => {
    await using run = await workOn(server, provider, 'bad_input');
    expect(run.requests[1]?.ask?.results.join()).toContain('the input does not fit');
  });

  test('every call and every reply is told with its time and size', async () => {
    await using run = await workOn(server, provider, 'ok');
    expect(run.events).toMatchObject([
      { type: 'started', provider, model: 'scripted-model' },
      { type: 'turn', number: 1 },
      { type: 'replied', durationMs: expect.any(Number), sent: expect.any(Number) },
      { type: 'usage', tokens: { input: 1000, output: 100, cacheRead: 200 }, context: 0.7 },
      { type: 'call', name: 'write', activity: { kind: 'editing', text: 'hello.txt' } },
      { type: 'called', isError: false, durationMs: expect.any(Number), size: 27 },
      { type: 'turn', number: 2 },
      { type: 'replied' },
      { type: 'usage', tokens: { input: 2000, output: 200, cacheRead: 400 } },
      { type: 'said', text: 'Done: wrote hello.txt.' },
    ]);
  });

  test('stops at once when it is told to', async () => {
    const stop = new AbortController();
    const run = workOn(server, provider, 'sleep', {
      signal: stop.signal,
      printed: ({ type }) => void (type === 'call' && stop.abort(new Error('enough'))),
    });
    await expect(run).rejects.toThrow('enough');
  });
});

test('Anthropic is asked to cache the tools, the system prompt and the conversation', async () => {
  await using run = await workOn(server, 'anthropic', 'ok');
  expect(run.requests[1]?.body).toMatchObject({
    stream: true,
    system: [{ type: 'text', cache_control: { type: 'ephemeral' } }],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Do the work.' }] },
      { role: 'assistant', content: [{ type: 'tool_use', name: 'write' }] },
      {
        role: 'user',
        content: [{ type: 'tool_result', is_error: false, cache_control: { type: 'ephemeral' } }],
      },
    ],
  });
  expect(JSON.stringify(run.requests[1]?.body).match(/cache_control/g)).toHaveLength(2);
});
