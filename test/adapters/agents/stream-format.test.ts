/** Streams as commands print them: what the runner makes of turns, endings and silence. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { resolveAgent } from '../../../src/adapters/agents/registry.ts';
import { createSupervisor } from '../../../src/adapters/process/supervisor.ts';
import { tempDir, type TempDir } from '../../support/temp-dir.ts';
import { livingIn } from '../process/fixture.ts';
import { runOnce } from './agent-run.ts';

const supervisor = createSupervisor();
let dir: TempDir;
let folder: string;

beforeEach(async () => {
  dir = await tempDir();
  folder = path.join(dir.path, 'work');
  await mkdir(folder);
});
afterEach(() => dir[Symbol.asyncDispose]());
afterAll(() => supervisor[Symbol.asyncDispose]());

const result =
  '{"type":"result","subtype":"success","is_error":false,"terminal_reason":"completed","result":"Done."}';

function messageOf(id: string): string {
  const content = [{ type: 'tool_use', name: 'Edit', input: { file_path: `${folder}/src/a.ts` } }];
  return JSON.stringify({
    type: 'assistant',
    message: { id, content, usage: { output_tokens: 1 } },
  });
}

/** An agent that prints these lines and then does that. */
async function printing(lines: readonly string[], then = 'exit 0', format = 'claude-stream') {
  const file = path.join(dir.path, 'stream.jsonl');
  await writeFile(file, lines.map((line) => `${line}\n`).join(''));
  const agents = { mine: { command: `cat '${file}'; ${then}`, format } };
  return resolveAgent('mine', agents, { supervisor, folder });
}

test('the last event decides, not the exit code', async () => {
  const agent = await printing([messageOf('a'), result], 'exit 3');
  const { outcome, end } = await runOnce(agent, folder);
  expect(end).toEqual({ kind: 'exited', code: 3 });
  expect(outcome).toMatchObject({ kind: 'done', finalText: 'Done.', turns: 1 });
});

test.each([
  ['nothing at all', []],
  ['half a line', ['{"type":"result","is_error":fal']],
  ['bytes that are no text', ['\ufffd\ufffd{"type"']],
])('%s and exit code 0 is a crash', async (_what, lines) => {
  const { outcome } = await runOnce(await printing(lines), folder);
  expect(outcome).toMatchObject({
    kind: 'crashed',
    evidence: expect.stringContaining('exit code 0'),
  });
});

test('a grandchild that holds the output does not hold the result', async () => {
  const agent = await printing([result], 'setsid tail -f /dev/null & exec tail -f /dev/null');
  const { outcome, end } = await runOnce(agent, folder);
  expect(end).toEqual({ kind: 'ended-after-result' });
  expect(outcome).toMatchObject({ kind: 'done', finalText: 'Done.' });
  await supervisor.endStandby('loop-00000001');
  expect(livingIn(folder)).toEqual([]);
});

const repeating = (attempt: number, waitMs: number) =>
  JSON.stringify({
    type: 'system',
    subtype: 'api_retry',
    attempt,
    retry_delay_ms: waitMs,
    error_status: 529,
  });

test.each([
  ['one retry too many', [repeating(1, 500), repeating(2, 500)], 1, 1],
  ['a probe that would repeat its request', [repeating(1, 500)], 0, 0],
  ['a long wait of its own', [repeating(1, 60_000)], 3, 0],
])('%s ends the run: the engine waits instead', async (_what, lines, apiRetries, retries) => {
  const agent = await printing(lines, 'exec tail -f /dev/null');
  const { outcome, end } = await runOnce(agent, folder, { apiRetries });
  expect(end).toEqual({ kind: 'cancelled' });
  expect(outcome).toMatchObject({ kind: 'api_error', retries });
});

function withoutNetwork(n: number): string {
  const message = `Reconnecting... waiting for network (Connection failed: ${n})`;
  return JSON.stringify({ type: 'error', message });
}

test('a wait for the network without an end is the engine’s after ten seconds', async () => {
  const agent = await printing(
    [withoutNetwork(1), withoutNetwork(2)],
    'exec tail -f /dev/null',
    'codex-stream',
  );
  const { outcome, end, durationMs } = await runOnce(agent, folder, { apiRetries: 3 });
  expect(end).toEqual({ kind: 'cancelled' });
  expect(outcome).toMatchObject({
    kind: 'api_error',
    retries: 1,
    evidence: 'reconnecting: Connection failed: 2',
  });
  expect(durationMs).toBeGreaterThan(9000);
});

test('a retry that goes well is no end', async () => {
  const lines = [repeating(1, 500), messageOf('a'), result];
  const { outcome } = await runOnce(await printing(lines), folder, { apiRetries: 1 });
  expect(outcome.kind).toBe('done');
});

test('a run that is stopped while it waits for its model was interrupted', async () => {
  const stop = new AbortController();
  const agent = await printing([repeating(1, 500)], 'exec tail -f /dev/null');
  const activity = () => stop.abort();
  const { outcome } = await runOnce(agent, folder, {
    apiRetries: 3,
    signal: stop.signal,
    activity,
  });
  expect(outcome.kind).toBe('interrupted');
});

test('one turn too many ends the run with what it has done', async () => {
  const lines = ['a', 'b', 'b', 'c'].map(messageOf);
  const agent = await printing(lines, 'exec tail -f /dev/null');
  const { outcome, end } = await runOnce(agent, folder, { maxTurns: 2 });
  expect(end).toEqual({ kind: 'cancelled' });
  expect(outcome).toMatchObject({
    kind: 'max_turns',
    turns: 2,
    evidence: 'ended after 2 turns, the turn limit',
    tokens: { output: 3 },
  });
  await supervisor.endStandby('loop-00000001');
  expect(livingIn(folder)).toEqual([]);
});

test('as many turns as allowed are allowed', async () => {
  const agent = await printing([messageOf('a'), messageOf('b'), result]);
  expect((await runOnce(agent, folder, { maxTurns: 2 })).outcome.kind).toBe('done');
});

test('a limit of 0 is none', async () => {
  const agent = await printing([...['a', 'b', 'c'].map(messageOf), result]);
  const { outcome } = await runOnce(agent, folder, { maxTurns: 0 });
  expect(outcome).toMatchObject({ kind: 'done', turns: 3 });
});

test('files are told as seen from the folder of the run', async () => {
  const { activities } = await runOnce(await printing([messageOf('a'), result]), folder);
  expect(activities[0]).toEqual({ kind: 'editing', text: 'src/a.ts' });
});
