/** Every stream an agent CLI has printed for us, judged again: no agent is needed for it. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CliSettings } from '../../../src/adapters/agents/cli-agent.ts';
import {
  cliAgents,
  withCliAgent,
  type CliAgent,
} from '../../../src/adapters/agents/cli-registry.ts';
import { createLineSplitter } from '../../../src/adapters/process/line-splitter.ts';
import { agentOutcomeKinds, type AgentOutcome } from '../../../src/core/agent/outcome.ts';
import type { AgentEvent } from '../../../src/ports/agent.ts';
import type { ProcessEnd } from '../../../src/ports/process.ts';
import { casesOf } from '../../support/agent-cli/expectations.ts';
import { pinnedClis } from '../../support/agent-cli/pinned.ts';
import { readRecording, recordedScenarios } from '../../support/agent-cli/recording.ts';

function settingsOf(name: CliAgent): CliSettings {
  return { name, program: name, args: [], baseUrl: null, keyVariable: null, isRoot: false };
}

type Judged = { readonly outcome: AgentOutcome; readonly events: readonly AgentEvent[] };

function judge(
  agent: CliAgent,
  lines: readonly string[],
  end: ProcessEnd = { kind: 'exited', code: 0 },
  stderr = '',
): Judged {
  return withCliAgent(agent, settingsOf(agent), (adapter) => {
    const events: AgentEvent[] = [];
    let state = adapter.start();
    for (const line of lines) {
      const step = adapter.parse(line, state);
      state = step.state;
      events.push(...step.events);
    }
    return { outcome: adapter.finish(state, end, stderr), events };
  });
}

describe.each(cliAgents)('%s', (agent) => {
  const scenarios = recordedScenarios(agent);
  // A run that our own limit of turns cut short is judged by the runner.
  const cases = casesOf(agent).filter(({ trial }) => scenarios.includes(trial.scenario));
  const ended = cases.filter(
    ({ trial }) =>
      trial.maxTurns === undefined || readRecording(agent, trial.scenario).end.kind !== 'cancelled',
  );

  test('its recordings are of the version that is driven', () => {
    expect(scenarios.length).toBeGreaterThan(5);
    const versions = scenarios.map((scenario) => readRecording(agent, scenario).version);
    expect(new Set(versions)).toEqual(new Set([pinnedClis[agent].version]));
  });

  test.each(ended.map((each) => [each.trial.scenario, each] as const))('%s', (scenario, each) => {
    const { lines, end, stderr } = readRecording(agent, scenario);
    const { outcome, events } = judge(agent, lines, end, stderr);
    expect(outcome).toMatchObject(each.expected);
    // Whose error it is decides between an outage and an attempt.
    expect(outcome.fault).toBe(each.expected.fault);
    expect(outcome.evidence).not.toBe('');
    if (outcome.kind !== 'done') return;
    expect(events.filter(({ type }) => type === 'result').length).toBeGreaterThan(0);
    const last = events.findLast((event) => event.type === 'usage');
    expect(last?.tokens).toEqual(outcome.tokens);
  });

  test('what it does is told in the words of all agents', () => {
    const { lines } = readRecording(agent, 'ok');
    const activities = judge(agent, lines).events.flatMap((event) =>
      event.type === 'activity' ? [event.activity] : [],
    );
    expect(activities.map(({ kind }) => kind)).toEqual(['editing', 'saying', 'finished']);
    expect(activities[0]?.text).toContain('hello.txt');
    expect(activities.at(-1)?.text).toBe('after 2 turns');
    const ran = judge(agent, readRecording(agent, 'fail').lines).events.flatMap((event) =>
      event.type === 'activity' ? [event.activity] : [],
    );
    expect(ran[0]).toEqual({ kind: 'running', text: 'echo failing; exit 2' });
  });

  test('turns are counted up to its limit', () => {
    const { lines } = readRecording(agent, 'loop');
    const turns = judge(agent, lines).events.flatMap((event) =>
      event.type === 'turn' ? [event.turns] : [],
    );
    expect(turns.slice(0, 3)).toEqual([1, 2, 3]);
  });

  test('a stream without its end is a crash, whatever the exit code', () => {
    const { lines } = readRecording(agent, 'ok');
    const { outcome } = judge(agent, lines.slice(0, 2));
    expect(outcome.kind).toBe('crashed');
    expect(judge(agent, []).outcome).toMatchObject({
      kind: 'crashed',
      tokens: null,
      costUsd: null,
    });
  });

  test('a stream told twice costs no more than it says', () => {
    const { lines, end } = readRecording(agent, 'ok');
    const once = judge(agent, lines, end).outcome;
    expect(once.tokens).toEqual({ input: 2000, output: 200, cacheRead: 400, cacheWrite: 0 });
    const usage = judge(agent, lines, end).events.flatMap((event) =>
      event.type === 'usage' ? [event.tokens?.output ?? 0] : [],
    );
    expect(usage).toEqual(usage.toSorted((a, b) => a - b));
    expect(usage.at(-1)).toBe(200);
  });

  test('half lines, foreign lines and unknown events change nothing', () => {
    const { lines, end, stderr } = readRecording(agent, 'ok');
    const whole = judge(agent, lines, end, stderr).outcome;
    const noise = [
      '',
      'Warning: 429 rate limit exceeded',
      '{"type":"result","is_error":true,"api_error_stat',
      '{"type":"from_the_future","error":{"message":"401"}}',
      '{"type":null}',
      '[1,2,3]',
      '"text"',
      '\ufffd\ufffd',
      'null',
    ];
    const noisy = lines.flatMap((line) => [...noise, line]);
    expect(judge(agent, [...noise, ...noisy], end, stderr).outcome).toEqual(whole);
  });

  test('no bytes make it throw, and every outcome is bounded', () => {
    const words = readRecording(agent, 'words').lines;
    const value = fc.jsonValue({ maxDepth: 3 });
    const mixed = fc.oneof(
      fc.string(),
      fc.constantFrom(...words),
      fc.tuple(fc.constantFrom(...words), value, fc.nat()).map(([line, replaced, at]) => {
        const event = JSON.parse(line);
        const keys = Object.keys(event).filter((key) => key !== 'type');
        return JSON.stringify({ ...event, [keys[at % Math.max(1, keys.length)] ?? 'x']: replaced });
      }),
    );
    fc.assert(
      fc.property(fc.array(mixed, { maxLength: 30 }), (lines) => {
        const { outcome } = judge(agent, lines);
        expect(agentOutcomeKinds).toContain(outcome.kind);
        expect(outcome.evidence.length).toBeLessThan(1000);
        expect(outcome.tokens?.input ?? 0).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: 200 },
    );
  });

  test('any chunking of its bytes reads alike', () => {
    const { lines, end, stderr } = readRecording(agent, 'words');
    const whole = judge(agent, lines, end, stderr).outcome;
    const bytes = Buffer.from(`${lines.join('\n')}\n`);
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 20 }), (cuts) => {
        const read: string[] = [];
        const splitter = createLineSplitter((line) => read.push(line));
        const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
        places.slice(1).forEach((to, index) => splitter.push(bytes.subarray(places[index], to)));
        splitter.end();
        expect(judge(agent, read, end, stderr).outcome).toEqual(whole);
      }),
      { numRuns: 50 },
    );
  });

  test('a hundred megabytes in one line are one line that says nothing', () => {
    const read: string[] = [];
    const splitter = createLineSplitter((line) => read.push(line));
    const chunk = Buffer.alloc(1024 * 1024, 'a');
    for (let sent = 0; sent < 100; sent += 1) splitter.push(chunk);
    splitter.push(Buffer.from('\n'));
    const { lines, end, stderr } = readRecording(agent, 'ok');
    expect(judge(agent, [...read, ...lines], end, stderr).outcome).toMatchObject({ kind: 'done' });
  });
});

describe('claude with a sign-in', () => {
  const limited = [
    '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1794791163,"rateLimitType":"five_hour"}}',
    '{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"api_error":"usage_limit_reached","terminal_reason":"api_error","result":"You have hit your 5-hour limit"}',
  ];

  test('a used-up window waits for its reset', () => {
    expect(judge('claude', limited).outcome).toMatchObject({
      kind: 'usage_limit',
      resetAtMs: 1_794_791_163_000,
    });
  });

  test('a long wait of its own is handed to the engine', () => {
    const waiting =
      '{"type":"system","subtype":"api_retry","attempt":1,"retry_delay_ms":90000,"error_status":429}';
    const { outcome, events } = judge('claude', [waiting], { kind: 'cancelled' });
    expect(outcome).toMatchObject({ kind: 'rate_limited', retryAfterMs: 90_000 });
    expect(events).toContainEqual({ type: 'retry', retries: 1, waitMs: 90_000 });
  });

  test('a refused permission with nothing done since is what the run came to', () => {
    const denied = '{"type":"system","subtype":"permission_denied","tool_name":"Write"}';
    const ended =
      '{"type":"result","subtype":"success","is_error":false,"terminal_reason":"completed","result":"Sorry."}';
    const worked =
      '{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"a","content":"ok"}]}}';
    expect(judge('claude', [denied, ended]).outcome.kind).toBe('denied');
    expect(judge('claude', [denied, worked, ended]).outcome.kind).toBe('done');
  });

  test('costs of a session are not taken for those of the run', () => {
    const ended = JSON.stringify({
      type: 'result',
      is_error: false,
      result: 'Done.',
      total_cost_usd: 3,
      modelUsage: { m: { inputTokens: 900, outputTokens: 90, costUSD: 3 } },
      model_usage_since_last_result: { m: { inputTokens: 10, outputTokens: 1, costUSD: 0.5 } },
    });
    expect(judge('claude', [ended]).outcome).toMatchObject({
      costUsd: 0.5,
      tokens: { input: 10, output: 1, cacheRead: 0, cacheWrite: 0 },
    });
  });
});

test('claude tells what each of its models was used for', () => {
  const ended = JSON.stringify({
    type: 'result',
    is_error: false,
    result: 'Done.',
    modelUsage: {
      large: { outputTokens: 10, costUSD: 0.5 },
      small: { outputTokens: 5, costUSD: 0.25 },
    },
  });
  const tokens = { input: 0, cacheRead: 0, cacheWrite: 0 };
  expect(judge('claude', [ended]).outcome).toMatchObject({
    costUsd: 0.75,
    tokens: { ...tokens, output: 15 },
    models: [
      { model: 'large', tokens: { ...tokens, output: 10 }, costUsd: 0.5 },
      { model: 'small', tokens: { ...tokens, output: 5 }, costUsd: 0.25 },
    ],
  });
});

function reconnecting(text: string): string {
  return JSON.stringify({ type: 'error', message: `Reconnecting... ${text}` });
}

describe('codex', () => {
  test.each([
    ['You’ve hit your usage limit. Try again at 1:13 AM.', 'usage_limit'],
    ['Codex ran out of room in the model’s context window.', 'context_full'],
    ['Quota exceeded. Check your plan and billing details.', 'auth'],
    ['Incomplete response returned, reason: content_filter', 'refused'],
    ['something new: unexpected status 401', 'api_error'],
  ])('fails with `%s`', (message, kind) => {
    const failed = JSON.stringify({ type: 'turn.failed', error: { message } });
    expect(judge('codex', [failed], { kind: 'exited', code: 1 }).outcome.kind).toBe(kind);
  });

  test('repeats a request of its own as often as it likes, and is judged by the last failure', () => {
    const lines = [
      reconnecting('1/5 (unexpected status 529 <unknown status code>: Busy., url: http://h/v1)'),
      reconnecting('2/5 (unexpected status 401 Unauthorized: Signed out., url: http://h/v1)'),
    ];
    const { outcome, events } = judge('codex', lines, { kind: 'cancelled' });
    expect(outcome.kind).toBe('auth');
    const retries = events.flatMap((event) => (event.type === 'retry' ? [event] : []));
    expect(retries).toEqual([
      { type: 'retry', retries: 1, waitMs: null },
      { type: 'retry', retries: 2, waitMs: null },
    ]);
  });

  test('a web socket that cannot be opened is no retry: it goes on without one', () => {
    const line = reconnecting('2/5 (unexpected status 404 Not Found: x, url: ws://h/v1/responses)');
    const { outcome, events } = judge('codex', [line]);
    expect(outcome.kind).toBe('crashed');
    expect(events.map(({ type }) => type)).toEqual(['activity']);
  });

  test('what is answered after a retry is over', () => {
    const said = { type: 'item.completed', item: { type: 'agent_message', text: 'Hello.' } };
    const lines = [
      reconnecting('waiting for network (Connection failed: x)'),
      JSON.stringify(said),
    ];
    expect(judge('codex', lines).outcome.kind).toBe('crashed');
  });
});

/** A rate limit with these headers, as opencode tells it. */
function limitedWith(headers: object): string {
  const data = { statusCode: 429, responseHeaders: headers };
  return JSON.stringify({ type: 'error', error: { name: 'APIError', data } });
}

describe('opencode', () => {
  const date = 'Mon, 16 Nov 2026 00:00:00 GMT';

  test.each([
    [{ 'retry-after': '7', date }, 7000],
    [{ 'retry-after': 'Mon, 16 Nov 2026 00:00:30 GMT', date }, 30_000],
    [{ 'retry-after': 'Mon, 16 Nov 2026 00:00:30 GMT' }, null],
    [{ 'retry-after': 'Sun, 15 Nov 2026 00:00:30 GMT', date }, null],
    [{ 'retry-after': '3155760000', date }, null],
    [{ 'retry-after': '-5', date }, null],
    [{ 'retry-after': 'soon', date }, null],
    [{ date }, null],
  ])('waits as %j asks', (headers, retryAfterMs) => {
    const { outcome } = judge('opencode', [limitedWith(headers)], { kind: 'exited', code: 1 });
    expect(outcome).toMatchObject({ kind: 'rate_limited', retryAfterMs });
  });
});
