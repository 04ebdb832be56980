import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as fc from 'fast-check';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAgentRunner } from '../../../src/adapters/agents/run-agent.ts';
import { parseScript, readScript } from '../../../src/adapters/agents/scripted/script.ts';
import { createScriptedAgent } from '../../../src/adapters/agents/scripted/scripted-agent.ts';
import { createSupervisor } from '../../../src/adapters/process/supervisor.ts';
import { agentOutcomeKinds } from '../../../src/core/agent/outcome.ts';
import type { AgentRunner } from '../../../src/ports/agent.ts';
import { tempDir, type TempDir } from '../../support/temp-dir.ts';
import { runOnce, type Played } from './agent-run.ts';

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

function agentOf(yaml: string): AgentRunner {
  return createAgentRunner(
    createScriptedAgent('scripted', parseScript(yaml, 'demo.yml')),
    supervisor,
  );
}
const play = (yaml: string, changes: Parameters<typeof runOnce>[2] = {}): Promise<Played> =>
  runOnce(agentOf(yaml), folder, changes);
const inFolder = (file: string): Promise<string> => readFile(path.join(folder, file), 'utf8');

test('steps change files, run commands and are shown', async () => {
  await writeFile(path.join(folder, 'old.txt'), 'x');
  const { outcome, activities, usage } = await play(`
iterations:
  - steps:
      - say: hello {{task-id}}
      - think: hm
      - write: { path: src/a.txt, content: "one two one" }
      - append: { path: src/a.txt, content: " $&" }
      - edit: { path: src/a.txt, find: one, replace: "$1" }
      - delete: old.txt
      - run: 'echo "{{iteration}} of {{loop-id}}" > ran.txt; echo noise; exit 4'
      - wait: 1ms
      - usage: { input: 10, output: 5, cost-usd: 0.5 }
      - usage: { input: 1, output: 1, cache-read: 7, cost-usd: 0.25 }
    final: "{{unknown}} {{task-id}}"
`);
  expect(outcome).toMatchObject({
    kind: 'done',
    finalText: '{{unknown}} t-00000001',
    tokens: { input: 11, output: 6, cacheRead: 7, cacheWrite: 0 },
    costUsd: 0.75,
  });
  expect(usage.map(({ costUsd }) => costUsd)).toEqual([0.5, 0.75]);
  expect(await inFolder('src/a.txt')).toBe('$1 two one $&');
  expect(await inFolder('ran.txt')).toBe('1 of loop-00000001\n');
  await expect(inFolder('old.txt')).rejects.toThrow('ENOENT');
  expect(activities.map(({ kind }) => kind)).toEqual([
    'saying',
    'thinking',
    'editing',
    'editing',
    'editing',
    'editing',
    'running',
    'saying',
    'waiting',
  ]);
});

test('each iteration has its own steps, and the last one repeats', async () => {
  const agent = agentOf('iterations: [{ final: first }, { final: second }]');
  const finals = [1, 2, 3].map(async (iteration) => {
    const own = path.join(dir.path, String(iteration), 'work');
    await mkdir(own, { recursive: true });
    return (await runOnce(agent, own, { iteration })).outcome.finalText;
  });
  expect(await Promise.all(finals)).toEqual(['first', 'second', 'second']);
});

test('a script that stops only says that it is over', async () => {
  const { outcome } = await play('{ then: stop, iterations: [{ final: first }] }', {
    iteration: 2,
  });
  expect(outcome).toMatchObject({ kind: 'done', finalText: 'The script is over.' });
});

test.each(agentOutcomeKinds)('it can end as %s', async (kind) => {
  const { outcome } = await play(`
iterations:
  - steps:
      - outcome: { kind: ${kind}, retry-after: 2s, reset-in: 1h, evidence: as told }
      - write: { path: never, content: "" }
    final: text`);
  expect(outcome).toMatchObject({
    kind,
    finalText: 'text',
    retryAfterMs: 2000,
    evidence: 'as told',
  });
  expect(outcome.resetAtMs).toBeGreaterThan(Date.now());
  await expect(inFolder('never')).rejects.toThrow('ENOENT');
});

test('an outcome can be limited to the first runs of an iteration', async () => {
  const agent = agentOf(`
iterations:
  - { steps: [{ outcome: { kind: rate_limited, times: 2 } }], final: at last }`);
  const kinds = [];
  for (let run = 1; run <= 3; run += 1) kinds.push((await runOnce(agent, folder)).outcome.kind);
  expect(kinds).toEqual(['rate_limited', 'rate_limited', 'done']);
  const again = await runOnce(agent, folder, { iteration: 2 });
  expect(again.outcome.kind).toBe('rate_limited');
});

test('it tells the model it was given', async () => {
  expect((await play('iterations: [{}]', { model: 'm-1' })).outcome.model).toBe('m-1');
  expect((await play('iterations: [{}]')).outcome.model).toBe(null);
});

test('a result counts even when the time is over while it lingers', async () => {
  const { outcome, end } = await play('iterations: [{ final: ready, linger: 1h }]', {
    timeoutMs: 3000,
  });
  expect(end.kind).toBe('timed-out');
  expect(outcome).toMatchObject({ kind: 'done', finalText: 'ready' });
});

describe('paths out of the working folder are refused', () => {
  test.each([
    ['../outside.txt', 'leads out'],
    ['/tmp/loopwright-outside.txt', 'leads out'],
    ['link/outside.txt', 'leads out'],
    ['dangling', 'leads out'],
    ['.', 'leads out'],
  ])('%s', async (target, reason) => {
    await symlink(dir.path, path.join(folder, 'link'));
    await symlink(path.join(dir.path, 'nowhere'), path.join(folder, 'dangling'));
    const script = { iterations: [{ steps: [{ write: { path: target, content: 'x' } }] }] };
    const { outcome } = await play(JSON.stringify(script));
    expect(outcome.kind).toBe('crashed');
    expect(outcome.evidence).toContain('step 1 (write)');
    expect(outcome.evidence).toContain(reason);
    await expect(readFile(path.join(dir.path, 'outside.txt'))).rejects.toThrow('ENOENT');
    await expect(readFile(path.join(dir.path, 'nowhere'))).rejects.toThrow('ENOENT');
  });
});

test('an edit that finds nothing is a crash with its reason', async () => {
  const { outcome } = await play(`
iterations:
  - steps:
      - write: { path: a, content: b }
      - edit: { path: a, find: c, replace: d }`);
  expect(outcome).toMatchObject({
    kind: 'crashed',
    evidence: 'step 2 (edit): a does not contain the text to be replaced',
  });
});

describe('a script that is wrong', () => {
  test.each([
    ['iterations: []', 'line 1 (iterations)'],
    ['iterations:\n  - steps:\n      - say: a\n      - sing: b', 'line 4 (iterations.0.steps.1)'],
    ['iterations:\n  - steps:\n      - { say: a, think: b }', 'a step has exactly one key'],
    ['iterations:\n  - steps:\n      - wait: soon', 'expected a duration'],
    [
      'iterations:\n  - steps:\n      - outcome: { kind: tired }',
      'iterations.0.steps.0.outcome.kind',
    ],
    ['iterations: [', 'Flow sequence'],
    ['', 'line 1'],
    ['a: &a [x]\nb: [*a, *a]', 'Unrecognized keys'],
  ])('%j says where', (yaml, part) => {
    expect(() => parseScript(yaml, 'demo.yml')).toThrow(part);
    expect(() => parseScript(yaml, 'demo.yml')).toThrow('demo.yml');
  });

  test('any text is a script or an error of ours', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        try {
          parseScript(text, 'x');
        } catch (error) {
          expect(error).toMatchObject({ code: 'agent.script_invalid' });
        }
      }),
    );
  });

  test('a missing file is told', async () => {
    await expect(readScript(path.join(dir.path, 'none.yml'))).rejects.toMatchObject({
      code: 'agent.script_missing',
    });
  });
});

test('the parser takes any line', () => {
  const agent = createScriptedAgent('scripted', parseScript('iterations: [{}]', 'x'));
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string(), fc.json())), (lines) => {
      let state = agent.start();
      for (const line of lines) ({ state } = agent.parse(line, state));
      expect(agent.finish(state, { kind: 'exited', code: 0 }, '').kind).toBe('crashed');
    }),
  );
});

test('the example is a valid script', async () => {
  const example = path.resolve(import.meta.dirname, '../../../examples/scripted/every-step.yml');
  expect((await readScript(example)).iterations).toHaveLength(3);
});
