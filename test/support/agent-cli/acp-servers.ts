/** Servers of the Agent Client Protocol that tests drive for real: exact versions, installed where the CLIs are. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cliFolder } from './pinned.ts';

export type AcpServer = {
  readonly name: 'gemini' | 'codex-acp' | 'pi-acp';
  readonly command: string;
  readonly packages: readonly string[];
  /** Files below the home folder that point it at the scripted model. */
  homeFiles(base: string): Readonly<Record<string, string>>;
  env(base: string): Readonly<Record<string, string>>;
};

const key = 'sk-trial-acp';

const geminiSettings = {
  security: { auth: { selectedType: 'gemini-api-key' } },
  privacy: { usageStatisticsEnabled: false },
  general: { enableAutoUpdate: false, maxAttempts: 2 },
};

const codexConfig = (base: string): string => `model = "gpt-5.5"
model_provider = "trial"
sandbox_mode = "danger-full-access"
approval_policy = "never"
[analytics]
enabled = false
[model_providers.trial]
name = "trial"
base_url = "${base}/v1"
env_key = "TRIAL_API_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
`;

const piModel = {
  id: 'trial-model',
  name: 'Trial',
  reasoning: false,
  input: ['text'],
  contextWindow: 200_000,
  maxTokens: 8192,
};

export const acpServers: readonly AcpServer[] = [
  {
    name: 'gemini',
    command: 'gemini --acp -m gemini-2.5-pro',
    packages: ['@google/gemini-cli@0.61.0'],
    homeFiles: () => ({ '.gemini/settings.json': JSON.stringify(geminiSettings) }),
    env: (base) => ({
      GOOGLE_GEMINI_BASE_URL: base,
      GEMINI_API_KEY: key,
      GEMINI_CLI_NO_RELAUNCH: 'true',
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    }),
  },
  {
    name: 'codex-acp',
    command: 'codex-acp',
    packages: ['@agentclientprotocol/codex-acp@2.6.0'],
    homeFiles: (base) => ({ '.codex/config.toml': codexConfig(base) }),
    env: () => ({ TRIAL_API_KEY: key, OPENAI_API_KEY: key }),
  },
  {
    name: 'pi-acp',
    command: 'pi-acp',
    packages: ['pi-acp@0.0.34', '@earendil-works/pi-coding-agent@0.87.1'],
    homeFiles: (base) => ({
      '.pi/agent/models.json': JSON.stringify({
        providers: {
          trial: {
            baseUrl: `${base}/v1`,
            api: 'openai-completions',
            apiKey: key,
            models: [piModel],
          },
        },
      }),
      '.pi/agent/settings.json': JSON.stringify({
        defaultProvider: 'trial',
        defaultModel: 'trial-model',
      }),
    }),
    env: () => ({ PI_OFFLINE: '1' }),
  },
];

/** The folder its programs are in, installed if need be; or why that is impossible. */
export function installServer({ name, packages }: AcpServer): { bin: string } | { why: string } {
  const folder = path.join(path.dirname(cliFolder('pi')), `acp-${name}`);
  const bin = path.join(folder, 'node_modules', '.bin');
  const done = path.join(folder, 'installed');
  if (existsSync(done)) return { bin };
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'package.json'), '{"private":true}\n');
    const argv = ['install', '--no-audit', '--no-fund', '--loglevel=error', ...packages];
    execFileSync('npm', argv, { cwd: folder, stdio: 'pipe', timeout: 300_000 });
    writeFileSync(done, `${packages.join('\n')}\n`);
    return { bin };
  } catch (error) {
    const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    return { why: `${packages.join(' and ')} cannot be installed: ${why}` };
  }
}
