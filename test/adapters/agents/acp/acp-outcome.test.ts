/** Lines of the client to outcomes. Those of gemini 0.61.0, codex-acp 2.6.0 and pi-acp 0.0.34 were recorded. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AgentOutcome } from '../../../../src/core/agent/outcome.ts';
import { createAcpAgent } from '../../../../src/adapters/agents/acp/acp-agent.ts';
import type { AgentEvent } from '../../../../src/ports/agent.ts';

const adapter = createAcpAgent('acp', 'server');
const exited = { kind: 'exited', code: 0 } as const;

function read(lines: readonly string[]): { outcome: AgentOutcome; events: readonly AgentEvent[] } {
  let state = adapter.start();
  const events: AgentEvent[] = [];
  for (const line of lines) {
    const parsed = adapter.parse(line, state);
    ({ state } = parsed);
    events.push(...parsed.events);
  }
  return { outcome: adapter.finish(state, exited, ''), events };
}

const started = '{"type":"started","agent":"a 1","session":"s","cwd":"/w","model":null}';
const update = (value: object): string => JSON.stringify({ type: 'update', update: value });
const say = (text: string): string =>
  update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
const answer = (stopReason: string, more: object = {}): string =>
  JSON.stringify({ type: 'answer', answer: { stopReason, ...more } });
const error = (code: number, message: string, data: unknown = null, step = 'session/prompt') =>
  JSON.stringify({ type: 'error', step, code, message, data });
const quota = (output: number) => ({
  _meta: {
    quota: {
      token_count: { input_tokens: 1200, output_tokens: output },
      model_usage: [{ model: 'gemini-2.5-pro' }],
    },
  },
});
const codexUsage = {
  usage: {
    totalTokens: 1300,
    inputTokens: 1000,
    cachedReadTokens: 200,
    cachedWriteTokens: 0,
    outputTokens: 100,
    thoughtTokens: 0,
  },
};
const codex = (value: object): string =>
  update({ sessionUpdate: 'session_info_update', _meta: { codex: value } });
const retry429 = codex({
  error: {
    message: 'Reconnecting... 1/1',
    codexErrorInfo: { responseStreamDisconnected: { httpStatusCode: 429 } },
    additionalDetails: 'exceeded retry limit, last status: 429 Too Many Requests',
    willRetry: true,
  },
});
const systemError = codex({ threadStatus: { type: 'systemError' } });
const piBanner = say('pi v0.87.1\n---\n');
const piUsage = update({ sessionUpdate: 'usage_update', used: 1393, size: 200_000 });

test.each<[name: string, lines: readonly string[], expected: Partial<AgentOutcome>]>([
  [
    'gemini that works',
    [
      '{"type":"permission","title":"Writing to hello.txt","granted":true}',
      update({ sessionUpdate: 'tool_call_update', toolCallId: 'w', kind: 'edit', title: 'W' }),
      say('Done: wrote'),
      say(' hello.txt.'),
      answer('end_turn', quota(200)),
    ],
    {
      kind: 'done',
      finalText: 'Done: wrote hello.txt.',
      model: 'gemini-2.5-pro',
      tokens: { input: 1200, output: 200, cacheRead: 0, cacheWrite: 0 },
    },
  ],
  ['gemini without a key', [error(401, '{"error":{"code":401}}')], { kind: 'auth' }],
  ['gemini with too many requests', [error(429, 'Scripted status 429.')], { kind: 'rate_limited' }],
  ['gemini that refuses', [answer('end_turn', quota(100))], { kind: 'refused' }],
  ['gemini with a bad request', [error(400, 'too long')], { kind: 'api_error' }],
  [
    'codex-acp that works',
    [
      update({ sessionUpdate: 'tool_call', toolCallId: 'c', kind: 'execute', title: 'ls' }),
      say('Done.'),
      answer('end_turn', codexUsage),
    ],
    { kind: 'done', tokens: { input: 1000, output: 100, cacheRead: 200, cacheWrite: 0 } },
  ],
  [
    'codex-acp without a key',
    [systemError, error(-32_000, 'Authentication required')],
    { kind: 'auth' },
  ],
  [
    'codex-acp with too many requests',
    [retry429, systemError, say('exceeded retry limit'), answer('end_turn', { usage: null })],
    { kind: 'rate_limited' },
  ],
  [
    'codex-acp that recovered after a retry',
    [
      retry429,
      say('Done.'),
      update({ sessionUpdate: 'tool_call', toolCallId: 'c', title: 'x' }),
      answer('end_turn', codexUsage),
    ],
    { kind: 'done' },
  ],
  [
    'codex-acp that ran out of tokens',
    [say('This is cut o'), systemError, answer('end_turn', codexUsage)],
    { kind: 'api_error' },
  ],
  ['codex-acp that refuses', [answer('end_turn', codexUsage)], { kind: 'refused' }],
  [
    'pi-acp without a key',
    [piBanner, piUsage, answer('end_turn')],
    { kind: 'api_error', contextPercent: 1 },
  ],
  [
    'pi-acp with too many requests',
    [piBanner, say('Retrying (attempt 1/3, waiting 2s)...'), piUsage, answer('end_turn')],
    { kind: 'api_error' },
  ],
  [
    'a claim without work',
    [say('Done.\n<task-done>t-1</task-done>'), answer('end_turn')],
    { kind: 'done' },
  ],
  [
    'a model that said nothing',
    [answer('end_turn', { usage: { inputTokens: 5, outputTokens: 0 } })],
    { kind: 'api_error' },
  ],
  ['max_tokens', [answer('max_tokens')], { kind: 'max_tokens' }],
  ['max_turn_requests', [answer('max_turn_requests')], { kind: 'max_turns' }],
  ['refusal', [answer('refusal')], { kind: 'refused' }],
  ['cancelled', [answer('cancelled')], { kind: 'interrupted' }],
  ['a stop reason of tomorrow', [answer('tired')], { kind: 'crashed' }],
  [
    'claude-agent-acp out of tokens',
    [error(-32_603, 'x', { errorKind: 'max_output_tokens' })],
    { kind: 'max_tokens' },
  ],
  [
    'a context that is full',
    [error(-32_603, 'x', { errorKind: 'prompt_too_long' })],
    { kind: 'context_full' },
  ],
  [
    'opencode with too many requests',
    [
      error(-32_603, 'x', {
        errorName: 'APIError',
        statusCode: 429,
        responseHeaders: { 'retry-after': '7' },
      }),
    ],
    { kind: 'rate_limited', retryAfterMs: 7000 },
  ],
  [
    'a forbidden request',
    [error(403, 'no')],
    { kind: 'auth', evidence: 'session/prompt: no (status 403)' },
  ],
  ['an overloaded provider', [error(-32_603, 'x', { status: 529 })], { kind: 'api_error' }],
  ['words about limits', [error(-32_603, 'rate limit, 429, 401')], { kind: 'api_error' }],
  [
    'names of every object',
    [error(-32_603, 'x', { errorKind: 'toString' })],
    { kind: 'api_error' },
  ],
  ['an error before the prompt', [error(-32_603, 'x', null, 'session/new')], { kind: 'crashed' }],
  ['a dead server', ['{"type":"failed","reason":"gone"}'], { kind: 'crashed', evidence: 'gone' }],
  ['no answer at all', [], { kind: 'crashed', evidence: 'ended without an answer: exit code 0' }],
])('%s', (_name, lines, expected) => {
  expect(read([started, ...lines]).outcome).toMatchObject({ ...expected, confidence: 'low' });
});

test('waiting for the provider is shown', () => {
  const { events } = read([started, retry429]);
  const text = 'for the API (status 429): Reconnecting... 1/1';
  expect(events).toEqual([{ type: 'activity', activity: { kind: 'waiting', text } }]);
});

test('a tool call is told once, with its place inside the worktree', () => {
  const call = {
    toolCallId: 'c',
    kind: 'read',
    title: 'Read',
    locations: [{ path: '/w/src/a.ts' }],
  };
  const { events, outcome } = read([
    started,
    update({ sessionUpdate: 'tool_call', ...call }),
    update({ sessionUpdate: 'tool_call_update', ...call, status: 'completed' }),
    update({
      sessionUpdate: 'tool_call_update',
      toolCallId: 'd',
      kind: 'delete',
      locations: [{ path: '/etc/x' }],
    }),
  ]);
  expect(events).toEqual([
    { type: 'activity', activity: { kind: 'reading', text: 'src/a.ts' } },
    { type: 'activity', activity: { kind: 'editing', text: '/etc/x' } },
  ]);
  expect(outcome.kind).toBe('crashed');
});

test('no line throws', () => {
  const line = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.json(),
    fc.jsonValue().map((value) => JSON.stringify({ type: 'update', update: value })),
    fc
      .record({
        sessionUpdate: fc.constantFrom(
          'tool_call',
          'usage_update',
          'agent_message_chunk',
          'session_info_update',
        ),
        content: fc.jsonValue(),
        locations: fc.jsonValue(),
        cost: fc.jsonValue(),
        _meta: fc.jsonValue(),
      })
      .map(update),
    fc
      .record({ stopReason: fc.jsonValue(), usage: fc.jsonValue(), _meta: fc.jsonValue() })
      .map((value) => JSON.stringify({ type: 'answer', answer: value })),
    fc.jsonValue().map((data) => error(-1, 'x', data)),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
      expect(read([started, ...lines]).outcome.confidence).toBe('low');
    }),
  );
});
