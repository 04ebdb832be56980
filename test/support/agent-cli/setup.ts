/** How each agent CLI is pointed at the scripted model, as a user would do it. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { CliAgent } from '../../../src/adapters/agents/cli-registry.ts';
import type { AgentSettings } from '../../../src/adapters/agents/registry.ts';

/** Nobody's key. It must never be found anywhere but in the requests. */
export const trialKey = 'sk-trial-5d41402abc4b2a76b9719d911017c592';
export const trialKeyVariable = 'TRIAL_API_KEY';

export type CliSetup = {
  /** As under `agents` in the configuration. */
  readonly settings: AgentSettings;
  /** Files below the home folder. */
  readonly homeFiles: Readonly<Record<string, string>>;
};

/** `base` is the address of the scripted model for one run. */
export function cliSetup(agent: CliAgent, base: string): CliSetup {
  switch (agent) {
    case 'claude':
      return configured(agent, base, {});
    case 'codex':
      return configured(agent, `${base}/v1`, { model: 'gpt-5.5' });
    case 'gemini':
      return configured(agent, base, { model: 'gemini-2.5-pro' });
    case 'pi':
      return {
        settings: { kind: agent, args: ['--provider', 'trial'], model: 'trial-model' },
        homeFiles: { '.pi/agent/models.json': JSON.stringify(piModels(base)) },
      };
    case 'opencode':
      return {
        settings: { kind: agent, model: 'trial/trial-model' },
        homeFiles: {
          '.config/opencode/opencode.json': JSON.stringify(opencodeConfig(base)),
          ...opencodePlugin,
        },
      };
  }
}

function configured(agent: CliAgent, base: string, further: AgentSettings): CliSetup {
  const settings = {
    kind: agent,
    'base-url': base,
    'key-variable': trialKeyVariable,
    ...further,
  };
  return { settings, homeFiles: agent === 'codex' ? { '.codex/.keep': '' } : {} };
}

const prices = { input: 3, output: 15 };

function piModels(base: string): object {
  const model = {
    id: 'trial-model',
    name: 'Trial',
    reasoning: false,
    input: ['text'],
    contextWindow: 200_000,
    maxTokens: 8192,
    cost: { ...prices, cacheRead: 0.3, cacheWrite: 3.75 },
  };
  return {
    providers: {
      trial: {
        baseUrl: `${base}/v1`,
        api: 'openai-completions',
        apiKey: `$${trialKeyVariable}`,
        models: [model],
      },
    },
  };
}

const pluginOnly = { dependencies: { '@opencode-ai/plugin': '1.18.33' } };

/**
 * The home of somebody who has used it before: its first start fetches a package into its folder of settings, which no
 * setting prevents.
 */
const opencodePlugin = {
  '.config/opencode/package.json': JSON.stringify(pluginOnly),
  '.config/opencode/package-lock.json': JSON.stringify({
    lockfileVersion: 3,
    packages: { '': pluginOnly },
  }),
  '.config/opencode/node_modules/.keep': '',
};

function opencodeConfig(base: string): object {
  const model = {
    name: 'Trial',
    limit: { context: 200_000, output: 8192 },
    cost: { ...prices, cache_read: 0.3, cache_write: 3.75 },
  };
  return {
    provider: {
      trial: {
        npm: '@ai-sdk/openai-compatible',
        options: { baseURL: `${base}/v1`, apiKey: `{env:${trialKeyVariable}}` },
        models: { 'trial-model': model },
      },
    },
  };
}

export async function writeHomeFiles(home: string, { homeFiles }: CliSetup): Promise<void> {
  for (const [name, content] of Object.entries(homeFiles)) {
    const file = path.join(home, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}
