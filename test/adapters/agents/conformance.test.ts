/** The same endings, played by a shell command and by a script: what a loop sees must not depend on the agent. */
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { resolveAgent } from '../../../src/adapters/agents/registry.ts';
import { createSupervisor } from '../../../src/adapters/process/supervisor.ts';
import { tempDir, type TempDir } from '../../support/temp-dir.ts';
import { fixture, livingIn } from '../process/fixture.ts';
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

const daemon = `setsid sh -c 'echo $$ > daemon.pid; exec tail -f /dev/null' & while ! [ -s daemon.pid ]; do :; done`;
const yamlOf = (steps: readonly object[], final = ''): string =>
  JSON.stringify({ iterations: [{ steps, final }] });

type Scenario = {
  readonly name: string;
  readonly program: string;
  readonly script: string;
  readonly outcome: object;
  readonly timeoutMs?: number;
  readonly files?: readonly string[];
};

const claim = '<task-done>t-00000001</task-done>';
const claimed = '<task-done>{{task-id}}</task-done>';

const scenarios: readonly Scenario[] = [
  {
    name: 'does the work and says so',
    program: 'succeeds',
    script: yamlOf(
      [
        { write: { path: 'work.txt', content: 'made by iteration {{iteration}}\n' } },
        { run: `printf 'Do the work.\\n' > prompt-as-received.txt` },
      ],
      `I made work.txt.\n${claimed}`,
    ),
    outcome: { kind: 'done', finalText: `I made work.txt.\n${claim}` },
    files: ['prompt-as-received.txt', 'work.txt'],
  },
  {
    name: 'claims success without work',
    program: 'lies',
    script: yamlOf([], `Everything is finished, all tests pass.\n${claimed}`),
    outcome: { kind: 'done', finalText: `Everything is finished, all tests pass.\n${claim}` },
    files: [],
  },
  {
    name: 'exits with an error',
    program: 'exits-3',
    script: yamlOf([{ say: 'starting' }, { run: 'echo out of ideas' }, { exit: 3 }]),
    outcome: { kind: 'crashed', evidence: expect.stringContaining('exit code 3: out of ideas') },
  },
  {
    name: 'says nothing and exits well',
    program: 'silent',
    script: yamlOf([]),
    outcome: { kind: 'done', finalText: '', tokens: null, costUsd: null },
  },
  {
    name: 'exits without a word about success',
    program: 'kills-group',
    script: yamlOf([{ run: 'kill -9 0' }]),
    outcome: { kind: 'crashed', evidence: expect.stringContaining('SIGKILL') },
  },
  {
    name: 'hangs until its time is over',
    program: 'hangs',
    script: yamlOf([{ hang: true }]),
    outcome: { kind: 'timeout', evidence: expect.stringContaining('time limit') },
    timeoutMs: 500,
  },
  {
    name: 'ignores every polite signal',
    program: 'ignores-term',
    script: yamlOf([{ run: `trap '' TERM; tail -f /dev/null` }]),
    outcome: { kind: 'timeout' },
    timeoutMs: 500,
  },
  {
    name: 'leaves a daemon behind',
    program: 'leaves-grandchild',
    script: yamlOf([{ run: daemon }], 'finished'),
    outcome: { kind: 'done', finalText: expect.stringContaining('finished') },
    files: ['daemon.pid'],
  },
  {
    name: 'splits its characters',
    program: 'splits-utf8',
    script: yamlOf([], '€ 🦊\n\ufffd\ufffd'),
    outcome: { kind: 'done', finalText: '€ 🦊\n\ufffd\ufffd' },
  },
  {
    name: 'does not listen',
    program: 'closes-stdin',
    script: yamlOf([], 'not listening'),
    outcome: { kind: 'done', finalText: 'not listening' },
  },
];

describe.each(scenarios)('an agent that $name', (scenario) => {
  test.each(['command', 'scripted'] as const)('as %s', async (adapter) => {
    const file = path.join(dir.path, 'script.yml');
    await writeFile(file, scenario.script);
    const spec =
      adapter === 'command' ? `command:${fixture(scenario.program)}` : `scripted:${file}`;
    const agent = await resolveAgent(spec, {}, { supervisor, folder: dir.path });
    const { outcome, end } = await runOnce(agent, folder, {
      timeoutMs: scenario.timeoutMs ?? 30_000,
    });
    expect(outcome).toMatchObject(scenario.outcome);
    expect(end.kind === 'timed-out').toBe(outcome.kind === 'timeout');
    if (scenario.files !== undefined)
      expect((await readdir(folder)).toSorted()).toEqual(scenario.files);
    if (scenario.files?.includes('daemon.pid') === true) {
      await supervisor.endStandby('loop-00000001');
      expect(livingIn(folder)).toEqual([]);
    }
  });
});

test('a flood becomes a bounded message and a whole transcript', async () => {
  const agent = await resolveAgent(`command:${fixture('floods')}`, {}, { supervisor, folder });
  const { outcome } = await runOnce(agent, folder);
  expect(outcome.kind).toBe('done');
  expect(outcome.finalText.length).toBeLessThanOrEqual(256 * 1024);
  expect(outcome.finalText.length).toBeGreaterThan(255 * 1024);
  expect(outcome.finalText.split('\n')[0]).toHaveLength(86);
  expect((await stat(path.join(dir.path, 'stdout'))).size).toBe(52_428_800);
});

test.each(['command', 'scripted'] as const)('cancelling interrupts a %s agent', async (adapter) => {
  const file = path.join(dir.path, 'script.yml');
  await writeFile(file, yamlOf([{ say: 'here' }, { hang: true }]));
  const spec =
    adapter === 'command' ? 'command:echo here; exec tail -f /dev/null' : `scripted:${file}`;
  const agent = await resolveAgent(spec, {}, { supervisor, folder });
  const stop = new AbortController();
  const files = { stdout: path.join(dir.path, 'stdout'), stderr: path.join(dir.path, 'stderr') };
  const result = await agent.run(
    {
      loopId: 'loop-1',
      taskId: 't-1',
      iteration: 1,
      maxIterations: 1,
      model: null,
      systemPrompt: null,
      prompt: '',
      promptFile: '/dev/null',
      cwd: folder,
      env: { PATH: process.env['PATH'] ?? '' },
      maxTurns: 1,
    },
    files,
    { timeoutMs: 60_000, graceMs: 5000 },
    { started: () => Promise.resolve(), activity: () => stop.abort(), usage: () => undefined },
    stop.signal,
  );
  expect(result.end).toEqual({ kind: 'cancelled' });
  expect(result.outcome.kind).toBe('interrupted');
});
