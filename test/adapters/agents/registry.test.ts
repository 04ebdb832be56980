import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { cliAgents } from '../../../src/adapters/agents/cli-registry.ts';
import { resolveAgent, type AgentSettings } from '../../../src/adapters/agents/registry.ts';
import { createSupervisor } from '../../../src/adapters/process/supervisor.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { runOnce } from './agent-run.ts';

const supervisor = createSupervisor();
afterAll(() => supervisor[Symbol.asyncDispose]());

const resolve = (spec: string, agents: Record<string, AgentSettings> = {}, folder = '/') =>
  resolveAgent(spec, agents, { supervisor, folder });

test('a configured agent has its own variables and model', async () => {
  await using dir = await tempDir();
  const agents = {
    mine: { command: 'echo "$KIND $LOOPWRIGHT_MODEL"', env: { KIND: 'own' }, model: 'big' },
  };
  const agent = await resolve('mine', agents);
  expect(agent).toMatchObject({ name: 'mine', kind: 'cli' });
  const cwd = path.join(dir.path, 'work');
  await mkdir(cwd);
  expect((await runOnce(agent, cwd, { model: 'small' })).outcome.finalText).toBe('own big');
});

test('a configured name comes before a built-in one', async () => {
  expect((await resolve('claude', { claude: { command: 'true' } })).name).toBe('claude');
});

test('scripts are found from the given folder and checked at once', async () => {
  await using dir = await tempDir();
  await writeFile(path.join(dir.path, 'ok.yml'), 'iterations: [{}]');
  await writeFile(path.join(dir.path, 'bad.yml'), 'iterations: 3');
  expect((await resolve('scripted:ok.yml', {}, dir.path)).name).toBe('scripted');
  expect(
    (await resolve('demo', { demo: { kind: 'scripted', script: 'ok.yml' } }, dir.path)).name,
  ).toBe('demo');
  await expect(resolve('scripted:bad.yml', {}, dir.path)).rejects.toMatchObject({
    code: 'agent.script_invalid',
  });
});

test.each(cliAgents)('%s is driven by its name', async (spec) => {
  const agent = await resolve(spec);
  expect(agent).toMatchObject({ name: spec, kind: 'cli' });
  expect(agent.variables.length).toBeGreaterThan(0);
});

test.each(['claude', 'codex', 'gemini'])('%s can be told where its model is', async (kind) => {
  const agents = { mine: { kind, 'base-url': 'http://127.0.0.1:1', 'key-variable': 'MY_KEY' } };
  expect((await resolve('mine', agents)).variables).toContain('MY_KEY');
});

test.each(cliAgents)('a command may print the stream of %s', async (agent) => {
  const agents = { mine: { command: 'true', format: `${agent}-stream` } };
  expect(await resolve('mine', agents)).toMatchObject({ name: 'mine', kind: 'cli' });
});

test('the native agent needs no command, also under another name', async () => {
  expect(await resolve('native')).toMatchObject({ name: 'native', kind: 'native' });
  const agents = { mine: { kind: 'native', provider: 'openai', 'key-variable': 'K' } } as const;
  expect(await resolve('mine', agents)).toMatchObject({
    name: 'mine',
    kind: 'native',
    variables: expect.arrayContaining(['K']),
  });
});

test.each<[string, Record<string, AgentSettings>, string, string]>([
  ['cluade', {}, 'agent.unknown', 'Did you mean `claude`?'],
  ['myne', { mine: { command: 'x' } }, 'agent.unknown', 'Did you mean `mine`?'],
  ['shell:ls', {}, 'agent.unknown', 'There is no agent `shell:ls`.'],
  ['toString', {}, 'agent.unknown', 'There is no agent `toString`.'],
  ['command:', {}, 'agent.invalid', 'has no command'],
  ['command', {}, 'agent.invalid', 'has no command'],
  ['acp:', {}, 'agent.invalid', 'has no server'],
  ['scripted:  ', {}, 'agent.invalid', 'has no script'],
  ['a', { a: { command: 'x', format: 'claude' } }, 'agent.invalid', 'unknown output format'],
  ['a', { a: { kind: 'pi', 'base-url': 'http://x' } }, 'agent.invalid', 'takes no `base-url`'],
  ['a', { a: { command: 'x', format: 'xml' } }, 'agent.invalid', 'unknown output format'],
])('%s is refused', async (spec, agents, code, message) => {
  await expect(resolve(spec, agents)).rejects.toMatchObject({
    code,
    message: expect.stringContaining(message),
  });
});
