import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CliAgent } from '../../../src/adapters/agents/cli-registry.ts';
import { askForModel } from '../../../src/adapters/agents/model-question.ts';
import { modelSourceOf } from '../../../src/adapters/agents/registry.ts';
import { createSupervisor } from '../../../src/adapters/process/supervisor.ts';
import { findCli, usualClis } from '../../support/agent-cli/pinned.ts';
import { tempDir } from '../../support/temp-dir.ts';

const model = { id: 'fake-model', name: 'F', reasoning: false, input: ['text'] };
const limits = { contextWindow: 1000, maxTokens: 100 };
const cost = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 };

/** What makes `fake/fake-model` a model of the agent. */
const settings: Partial<Record<CliAgent, readonly [file: string, text: unknown]>> = {
  opencode: [
    '.config/opencode/opencode.json',
    {
      provider: {
        fake: {
          npm: '@ai-sdk/openai-compatible',
          options: { baseURL: 'http://127.0.0.1:9/v1', apiKey: 'x' },
          models: { 'fake-model': { name: 'F' } },
        },
      },
    },
  ],
  pi: [
    '.pi/agent/models.json',
    {
      providers: {
        fake: {
          baseUrl: 'http://127.0.0.1:9/v1',
          api: 'openai-completions',
          apiKey: 'x',
          models: [{ ...model, ...limits, cost }],
        },
      },
    },
  ],
};

async function ask(agent: CliAgent, name: string) {
  await using home = await tempDir();
  const [file, text] = settings[agent] ?? ['', ''];
  await mkdir(path.join(home.path, path.dirname(file)), { recursive: true });
  await writeFile(path.join(home.path, file), JSON.stringify(text));
  const source = modelSourceOf(agent, {}, name);
  if (source === null) throw new Error(`${agent} cannot say so`);
  const folders = [findCli(agent), path.dirname(process.execPath), '/usr/bin', '/bin'];
  const env = { HOME: home.path, PATH: folders.join(':') };
  await using supervisor = createSupervisor();
  const from = { supervisor, folder: home.path, env };
  return await askForModel(source, name, from, new AbortController().signal);
}

const isFull = process.env['LOOPWRIGHT_TEST_FULL'] === '1';

describe.each(['opencode', 'pi'] as const)('the real %s', (agent) => {
  const isWanted = isFull || usualClis.includes(agent);
  it.skipIf(!isWanted || findCli(agent) === null)(
    'says which models it knows',
    async () => {
      expect(await ask(agent, 'fake/fake-model')).toEqual({ kind: 'known' });
      const unknown = await ask(agent, 'fake-moddel');
      expect(unknown).toMatchObject({ kind: 'unknown' });
      expect(unknown.kind === 'unknown' && unknown.models).toContain('fake/fake-model');
    },
    180_000,
  );
});
