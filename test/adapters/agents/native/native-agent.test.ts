import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createNativeAgent,
  type NativeState,
} from '../../../../src/adapters/agents/native/native-agent.ts';
import {
  startModelServer,
  type ModelServer,
} from '../../../../src/adapters/model-server/model-server.ts';
import { say, type Scenario } from '../../../../src/adapters/model-server/scenario.ts';
import { createSupervisor } from '../../../../src/adapters/process/supervisor.ts';
import type { AgentRun } from '../../../../src/ports/agent.ts';
import { livingIn } from '../../process/fixture.ts';
import { runNative } from './native-run.ts';
import { providers, secretKey } from './native-work.ts';

const shell = (command: string) => ({ kind: 'acts', acts: [{ kind: 'shell', command }] }) as const;

/** Tries to find the key from within a command, and says what it found. */
const thief: Scenario = ({ results }) =>
  results.length === 0
    ? shell(
        'env; tr "\\0" "\\n" < /proc/$PPID/environ; tr "\\0" " " < /proc/$PPID/cmdline; ls -R . ..',
      )
    : say(`Found: ${results.join('')}`);

/** The program's own process is the parent of the shell. */
const signals: Readonly<Record<string, Scenario>> = {
  terminates: ({ results }) =>
    results.length === 0 ? shell('kill -TERM $PPID; sleep 60') : say('!'),
  kills: ({ results }) => (results.length === 0 ? shell('kill -KILL $PPID; sleep 60') : say('!')),
  tells: () => say(`The key is ${secretKey}.`),
};

const supervisor = createSupervisor();
let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer({ scenarios: { thief, ...signals } });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await supervisor[Symbol.asyncDispose]();
});

describe.each(providers)('the native agent as a process on %s', (provider) => {
  test('works, reports and leaves nothing', async () => {
    const run = await runNative(supervisor, server, provider, 'ok');
    await using _dir = run.dir;
    expect(run.end).toEqual({ kind: 'exited', code: 0 });
    expect(run.outcome).toMatchObject({
      kind: 'done',
      finalText: 'Done: wrote hello.txt.',
      model: 'scripted-model',
      tokens: { input: 2000, output: 200, cacheRead: 400, cacheWrite: 0 },
      costUsd: null,
      turns: 2,
      contextPercent: provider === 'anthropic' ? 0.7 : null,
    });
    expect(run.activities).toEqual([
      { kind: 'thinking', text: 'turn 1' },
      { kind: 'editing', text: 'hello.txt' },
      { kind: 'thinking', text: 'turn 2' },
      { kind: 'saying', text: 'Done: wrote hello.txt.' },
    ]);
    expect(run.usage.map(({ tokens }) => tokens?.input)).toEqual([1000, 2000]);
    expect(await readFile(path.join(run.folder, 'hello.txt'), 'utf8')).toBe('hello\n');
    await supervisor.endStandby('loop-00000001');
    expect(livingIn(run.folder)).toEqual([]);
  });

  test('its commands find the key nowhere', async () => {
    const run = await runNative(supervisor, server, provider, 'thief');
    await using _dir = run.dir;
    expect(run.outcome.finalText).toContain('Found:');
    const asked = server.requests(run.runId)[1]?.ask?.results.join('') ?? '';
    expect(asked).toContain('PATH=');
    expect(asked).toContain('program.ts');
    expect(asked).not.toContain(secretKey);
    expect(JSON.stringify(server.requests(run.runId)[0]?.headers)).toContain(secretKey);
  });
});

test('a key that turns up in the output is redacted before it is kept', async () => {
  const run = await runNative(supervisor, server, 'anthropic', 'tells');
  await using _dir = run.dir;
  expect(run.outcome.finalText).toBe('The key is [redacted].');
  for (const name of await readdir(run.dir.path)) {
    if (name === 'work') continue;
    expect(await readFile(path.join(run.dir.path, name), 'utf8')).not.toContain(secretKey);
  }
});

test('waiting for the API is told as an activity', async () => {
  const run = await runNative(supervisor, server, 'openai', '429oncera1');
  await using _dir = run.dir;
  expect(run.activities).toContainEqual({
    kind: 'waiting',
    text: 'for the API (attempt 2, retry in 1 s)',
  });
});

test('a time limit ends it in the middle of a request', async () => {
  const run = await runNative(supervisor, server, 'openai', 'hang', { timeoutMs: 4000 });
  await using _dir = run.dir;
  expect(run.outcome).toMatchObject({ kind: 'timeout' });
});

test('cancelling it ends its running command as well', async () => {
  const stop = new AbortController();
  const run = await runNative(supervisor, server, 'openai', 'sleep', {
    signal: stop.signal,
    activity: ({ kind }) => void (kind === 'running' && stop.abort()),
  });
  await using _dir = run.dir;
  expect(run.outcome.kind).toBe('interrupted');
  expect(run.end.kind).toBe('cancelled');
  await supervisor.endStandby('loop-00000001');
  expect(livingIn(run.folder)).toEqual([]);
});

test('TERM from somebody else is an interruption', async () => {
  const run = await runNative(supervisor, server, 'openai', 'terminates');
  await using _dir = run.dir;
  expect(run.outcome).toMatchObject({ kind: 'interrupted', evidence: 'stopped by SIGTERM' });
  expect(run.end).toEqual({ kind: 'exited', code: 143 });
});

test('KILL from somebody else is a crash', async () => {
  const run = await runNative(supervisor, server, 'openai', 'kills');
  await using _dir = run.dir;
  expect(run.outcome).toMatchObject({
    kind: 'crashed',
    evidence: expect.stringContaining('ended without a result'),
    tokens: { input: 1000 },
  });
});

test('without a key it says which variable to set, and asks nobody', async () => {
  const run = await runNative(supervisor, server, 'anthropic', 'ok', {
    settings: { provider: 'anthropic', 'base-url': undefined, 'key-variable': 'MY_KEY' },
    env: { PATH: process.env['PATH'] ?? '', ANTHROPIC_API_KEY: 'not this one' },
  });
  await using _dir = run.dir;
  expect(run.outcome).toMatchObject({
    kind: 'auth',
    evidence: 'there is no API key: set MY_KEY',
  });
  expect(server.requests(run.runId)).toHaveLength(0);
});

const runOf = (changes: Partial<AgentRun>): AgentRun => ({
  loopId: 'loop-00000001',
  taskId: 't-00000001',
  iteration: 1,
  maxIterations: 1,
  model: null,
  systemPrompt: null,
  prompt: 'p',
  promptFile: '/p',
  cwd: '/',
  env: {},
  maxTurns: 50,
  ...changes,
});

const assignmentOf = (settings: Parameters<typeof createNativeAgent>[1], run: Partial<AgentRun>) =>
  JSON.parse(createNativeAgent('native', settings).command(runOf(run)).stdin ?? '');

describe('the command', () => {
  test('takes the provider whose key is there', () => {
    expect(assignmentOf({}, { env: { OPENAI_API_KEY: 'k' } })).toMatchObject({
      endpoint: { provider: 'openai', key: 'k', model: 'gpt-5.5', baseUrl: null },
      obstacle: null,
    });
    const both = { OPENAI_API_KEY: 'o', ANTHROPIC_API_KEY: 'a' };
    expect(assignmentOf({}, { env: both })).toMatchObject({
      endpoint: { provider: 'anthropic', key: 'a', model: 'claude-sonnet-5' },
      contextWindow: 200_000,
    });
    expect(assignmentOf({}, {})).toMatchObject({ obstacle: { kind: 'auth' } });
  });

  test('needs no key for an endpoint of the user, but a model', () => {
    const settings = { provider: 'openai', 'base-url': 'http://localhost:1/v1' } as const;
    expect(assignmentOf(settings, { model: 'm' })).toMatchObject({
      endpoint: { key: null, model: 'm', baseUrl: 'http://localhost:1/v1' },
      obstacle: null,
    });
    expect(assignmentOf(settings, {})).toMatchObject({ obstacle: { kind: 'crashed' } });
  });

  test('takes the address from its variable', () => {
    const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: 'http://localhost:2' };
    expect(assignmentOf({}, { env })).toMatchObject({
      endpoint: { baseUrl: 'http://localhost:2' },
    });
  });

  test('puts keys neither into the arguments nor into the environment', () => {
    const env = { ANTHROPIC_API_KEY: 'aaaa', OPENAI_API_KEY: 'bbbb', MY_KEY: 'cccc', PATH: '/bin' };
    const agent = createNativeAgent('native', { 'key-variable': 'MY_KEY', provider: 'openai' });
    const command = agent.command(runOf({ env }));
    expect(command.env).toEqual({ PATH: '/bin' });
    expect(command.argv.join(' ')).not.toMatch(/aaaa|bbbb|cccc/);
    expect(command.secrets).toEqual(['cccc']);
    expect(agent.variables).toEqual(['MY_KEY', 'OPENAI_API_KEY', 'OPENAI_BASE_URL']);
  });

  test('goes through a proxy where there is one', () => {
    const command = createNativeAgent('native', {}).command(
      runOf({ env: { HTTPS_PROXY: 'http://proxy:1' } }),
    );
    expect(command.env['NODE_USE_ENV_PROXY']).toBe('1');
  });

  test('offers to talk to other loops only where an engine answers', () => {
    const tools = ['read', 'share'] as const;
    expect(assignmentOf({ tools }, {})).toMatchObject({ tools: ['read'], door: null });
    expect(assignmentOf({ tools }, { door: '/d' })).toMatchObject({ tools, door: '/d' });
  });
});

describe('the stream', () => {
  const agent = createNativeAgent('native', {});
  const fold = (...lines: readonly string[]): NativeState =>
    lines.reduce((state, line) => agent.parse(line, state).state, agent.start());

  test.each([
    '',
    '{"type":"result","kind":"done"',
    '{"type":"result","kind":"nonsense","finalText":"x"}',
    '{"type":"usage","tokens":{"input":-1,"output":0,"cacheRead":0,"cacheWrite":0},"context":null}',
    '[1,2]',
    'null',
    '\u0000\uFFFD',
    '['.repeat(100_000),
  ])('a line that says nothing changes nothing (%#)', (line) => {
    expect(fold(line)).toEqual(agent.start());
  });

  test('half a result is no result', () => {
    const outcome = agent.finish(
      fold('{"type":"turn","speaker":"main","number":4}', '{"type":"result","kind":"do'),
      { kind: 'exited', code: 0 },
      '',
    );
    expect(outcome).toMatchObject({ kind: 'crashed', turns: 4 });
  });

  test('a program that was told to stop was interrupted', () => {
    const outcome = agent.finish(
      fold('{"type":"stopped","signal":"SIGTERM"}'),
      { kind: 'exited', code: 143 },
      '',
    );
    expect(outcome).toMatchObject({ kind: 'interrupted', evidence: 'stopped by SIGTERM' });
  });
});
