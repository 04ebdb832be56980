import { expect, test } from 'vitest';
import { runCalls } from '../../../../src/adapters/agents/native/run-calls.ts';
import type { StreamEvent } from '../../../../src/adapters/agents/native/stream.ts';
import type { Tool, ToolOutput } from '../../../../src/adapters/agents/native/tool/tool.ts';
import { createSystemClock } from '../../../../src/adapters/clock/system-clock.ts';
import type { ToolName } from '../../../../src/core/agent/native/tool.ts';

const never = new AbortController().signal;

const call = (name: string, input: unknown = {}) => ({
  type: 'call' as const,
  id: `${name}-${JSON.stringify(input)}`,
  name,
  input,
  fault: null,
});

function setUp(run: (name: string, input: unknown) => Promise<ToolOutput>) {
  const events: StreamEvent[] = [];
  const tool = (name: ToolName): Tool => ({
    name,
    offer: { name, description: '', schema: {} },
    call: (input) => run(name, input),
  });
  const parts = {
    tools: [tool('read'), tool('bash'), tool('complete_task')],
    clock: createSystemClock(),
    speaker: 'main' as const,
    print: (event: StreamEvent) => void events.push(event),
  };
  return { parts, events };
}

test('four calls that only read run at once, a fifth waits, and a command runs alone', async () => {
  const log: string[] = [];
  const running = new Set<unknown>();
  const release = Promise.withResolvers<void>();
  const { parts } = setUp(async (name, input) => {
    running.add(input);
    log.push(`${name} beside ${running.size - 1}`);
    // The fourth lets all four go; whoever is alone goes at once.
    if (running.size === 4 || log.length > 4) release.resolve();
    await release.promise;
    running.delete(input);
    return { text: JSON.stringify(input) };
  });
  const reads = [1, 2, 3, 4, 5].map((number) => call('read', { number }));
  const called = await runCalls(
    parts,
    [...reads, call('bash'), call('read', { number: 6 })],
    never,
  );
  expect(log).toEqual([
    'read beside 0',
    'read beside 1',
    'read beside 2',
    'read beside 3',
    'read beside 0',
    'bash beside 0',
    'read beside 0',
  ]);
  expect(called.map(({ result }) => result.text)).toEqual([
    ...[1, 2, 3, 4, 5].map((number) => JSON.stringify({ number })),
    '{}',
    '{"number":6}',
  ]);
});

test('a tool that throws fails its call and nothing else', async () => {
  const { parts, events } = setUp((name) =>
    name === 'bash' ? Promise.reject(new Error('broken')) : Promise.resolve({ text: 'fine' }),
  );
  const called = await runCalls(
    parts,
    [call('bash'), call('read'), call('launch\nmissiles')],
    never,
  );
  expect(called.map(({ result }) => [result.isError, result.text])).toEqual([
    [true, 'The tool failed: broken'],
    [false, 'fine'],
    [true, 'There is no tool "launch\\nmissiles". Yours are: read, bash, complete_task.'],
  ]);
  expect(events.filter(({ type }) => type === 'called')).toHaveLength(3);
});

test('results are bounded and well-formed, and their size is told', async () => {
  const { parts, events } = setUp(() =>
    Promise.resolve({ text: `\uD800${'x'.repeat(2_000_000)}` }),
  );
  const [called] = await runCalls(parts, [call('read')], never);
  expect(called?.result.text).toHaveLength(500_000);
  expect(called?.result.text.isWellFormed()).toBe(true);
  const told = events.find(({ type }) => type === 'called');
  expect(told).toMatchObject({ size: 2_000_001 });
  expect(JSON.stringify(told).length).toBeLessThan(200_000);
});
