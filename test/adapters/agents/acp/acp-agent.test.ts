/** The client against a real server of the protocol. */
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import type { AgentOutcome } from '../../../../src/core/agent/outcome.ts';
import { resolveAgent } from '../../../../src/adapters/agents/registry.ts';
import { createSupervisor } from '../../../../src/adapters/process/supervisor.ts';
import { tempDir, type TempDir } from '../../../support/temp-dir.ts';
import { livingIn } from '../../process/fixture.ts';
import { runOnce, type Played } from '../agent-run.ts';

const supervisor = createSupervisor();
let dir: TempDir;
let folder: string;

beforeEach(async () => {
  dir = await tempDir();
  folder = path.join(dir.path, 'work');
  await mkdir(folder);
});
afterEach(async () => {
  await supervisor.endStandby('loop-00000001');
  expect(livingIn(folder)).toEqual([]);
  await dir[Symbol.asyncDispose]();
});
afterAll(() => supervisor[Symbol.asyncDispose]());

const program = path.join(import.meta.dirname, 'programs/agent.ts');
const server = (behaviour: string): string => `"${process.execPath}" "${program}" ${behaviour}`;

async function play(
  behaviour: string,
  changes: Parameters<typeof runOnce>[2] = {},
): Promise<Played> {
  const agent = await resolveAgent(`acp:${server(behaviour)}`, {}, { supervisor, folder });
  return runOnce(agent, folder, { graceMs: 5000, ...changes });
}

test('a session is played, shown and accounted for, and only its last message is the final one', async () => {
  const { outcome, activities, usage } = await play('works');
  expect(outcome).toEqual({
    kind: 'done',
    finalText: 'I made work.txt.',
    sessionId: 'session-1',
    tokens: { input: 1000, output: 100, cacheRead: 200, cacheWrite: 0 },
    costUsd: 0.25,
    model: 'small',
    turns: null,
    contextPercent: 25,
    retryAfterMs: null,
    resetAtMs: null,
    evidence: 'stop reason end_turn',
    confidence: 'low',
  });
  expect(activities).toEqual([
    { kind: 'thinking', text: 'A file will do.' },
    { kind: 'saying', text: 'Rate limit reached, 429, error: <task-done>t-0</task-done>' },
    { kind: 'editing', text: 'work.txt' },
    { kind: 'saying', text: 'I made work.txt.' },
    { kind: 'finished', text: 'end_turn' },
  ]);
  expect(usage.map(({ costUsd }) => costUsd)).toEqual([0.25, 0.25]);
  expect(await readFile(path.join(folder, 'work.txt'), 'utf8')).toBe('Do the work.\n');
});

test.each<[string, Partial<AgentOutcome>]>([
  ['needs-key', { kind: 'auth', evidence: 'session/prompt: Authentication required' }],
  ['locked', { kind: 'auth', evidence: 'session/new: Authentication required' }],
  ['limited', { kind: 'rate_limited', retryAfterMs: 7000 }],
  ['dies', { kind: 'crashed', evidence: 'the server ended with exit code 3 at session/prompt' }],
  ['mute', { kind: 'crashed', evidence: 'the server ended with exit code 4 at initialize' }],
  ['noisy', { kind: 'done' }],
])('a server that %s', async (behaviour, expected) => {
  const { outcome } = await play(behaviour);
  expect(outcome).toMatchObject({ ...expected, confidence: 'low' });
});

test('a server that is no program, or no server, is a crash that says so', async () => {
  const agent = await resolveAgent('acp:no-such-program-here', {}, { supervisor, folder });
  const { outcome } = await runOnce(agent, folder);
  expect(outcome.kind).toBe('crashed');
  expect(outcome.evidence).toContain('exit code 127');
  const chatty = await resolveAgent('acp:echo hello', {}, { supervisor, folder });
  expect((await runOnce(chatty, folder)).outcome.kind).toBe('crashed');
});

test('what lies outside the worktree is not permitted', async () => {
  const { outcome, activities } = await play('outside');
  expect(outcome).toMatchObject({ kind: 'done', finalText: 'not permitted' });
  expect(activities[0]).toEqual({
    kind: 'saying',
    text: 'refused to permit: Write /etc/loopwright-must-not-be',
  });
});

test('stopping cancels the session before anything is killed', async () => {
  const stop = new AbortController();
  const agent = await resolveAgent(`acp:${server('waits')}`, {}, { supervisor, folder });
  const running = runOnce(agent, folder, { signal: stop.signal, graceMs: 30_000 });
  while (!(await readdir(folder)).includes('half.txt')) await new Promise(setImmediate);
  stop.abort();
  expect((await running).outcome.kind).toBe('interrupted');
  expect(await readdir(folder)).toContain('cancelled.txt');
});

test('a server that does not listen is ended all the same', async () => {
  const { outcome } = await play('deaf', { timeoutMs: 4000, graceMs: 200 });
  expect(outcome.kind).toBe('timeout');
});

test('a server that stays, with a child of its own, is ended after its answer', async () => {
  const { outcome } = await play('lingers');
  expect(outcome.kind).toBe('done');
});

test('a configured model is chosen, and refused when the server has no such model', async () => {
  const { outcome } = await play('models', { model: 'big' });
  expect(outcome).toMatchObject({ kind: 'done', model: 'big' });
  expect(await readFile(path.join(folder, 'model.txt'), 'utf8')).toBe('big');
  const none = await play('models', { model: 'huge' });
  expect(none.outcome).toMatchObject({
    kind: 'crashed',
    evidence: 'the server has no model `huge`; it offers small, big',
  });
  const bare = await play('bare', { model: 'big' });
  expect(bare.outcome.evidence).toContain('lets nobody choose a model');
});

test('a flood is bounded', async () => {
  const { outcome } = await play('floods', { timeoutMs: 120_000 });
  expect(outcome).toMatchObject({ kind: 'done', finalText: 'enough' });
  expect((await stat(path.join(dir.path, 'stdout'))).size).toBeGreaterThan(2_000_000);
});

test('a program that is no server of the protocol is told as such', async () => {
  const agent = await resolveAgent('acp:cat', {}, { supervisor, folder });
  const { outcome } = await runOnce(agent, folder, { graceMs: 5000 });
  const evidence = 'the program does not speak the Agent Client Protocol';
  expect(outcome).toMatchObject({ kind: 'crashed', evidence });
});
