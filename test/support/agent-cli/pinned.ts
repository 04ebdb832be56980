/** The agent CLIs that tests drive for real: exact versions, and where the install script puts them. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { CliAgent } from '../../../src/adapters/agents/cli-registry.ts';

export type PinnedCli = { readonly package: string; readonly version: string };

export const pinnedClis: Readonly<Record<CliAgent, PinnedCli>> = {
  claude: { package: '@anthropic-ai/claude-code', version: '2.1.325' },
  codex: { package: '@openai/codex', version: '0.166.0' },
  gemini: { package: '@google/gemini-cli', version: '0.61.0' },
  opencode: { package: 'opencode-ai', version: '1.18.33' },
  pi: { package: '@earendil-works/pi-coding-agent', version: '0.87.1' },
};

/** Small and quick enough for every test run; the others are for `npm run test:full`. */
export const usualClis: readonly CliAgent[] = ['claude', 'codex', 'pi'];

/** One folder per version, so that a new one never meets the remains of the old. */
export function cliFolder(agent: CliAgent): string {
  const root =
    process.env['LOOPWRIGHT_AGENT_CLIS'] ??
    path.resolve(import.meta.dirname, '../../../.cache/agent-clis');
  return path.join(root, `${agent}-${pinnedClis[agent].version}`);
}

/** The folder its program is in; null when it is not installed. */
export function findCli(agent: CliAgent): string | null {
  const folder = path.join(cliFolder(agent), 'node_modules', '.bin');
  return existsSync(path.join(cliFolder(agent), 'installed')) &&
    existsSync(path.join(folder, agent))
    ? folder
    : null;
}
