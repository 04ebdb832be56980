import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import {
  createNativeAgent,
  type NativePace,
  type NativeSettings,
} from '../../../../src/adapters/agents/native/native-agent.ts';
import { createAgentRunner } from '../../../../src/adapters/agents/run-agent.ts';
import type { ModelServer } from '../../../../src/adapters/model-server/model-server.ts';
import type { Supervisor } from '../../../../src/ports/process.ts';
import { tempDir, type TempDir } from '../../../support/temp-dir.ts';
import { runOnce, type Played } from '../agent-run.ts';
import { addressOf, secretKey, type Provider } from './native-work.ts';

/** Retries at once. */
export const fast: NativePace = { retries: { retries: 2, firstMs: 1, longestMs: 30_000 } };

export type NativeRun = Played & {
  readonly folder: string;
  readonly dir: TempDir;
  readonly runId: string;
};

let runs = 0;

/** One run of the native agent against a scenario, in a fresh folder with a sibling for its streams. */
export async function runNative(
  supervisor: Supervisor,
  server: ModelServer,
  provider: Provider,
  scenario: string,
  changes: NonNullable<Parameters<typeof runOnce>[2]> & {
    readonly settings?: NativeSettings;
    readonly pace?: NativePace;
    readonly prepare?: (folder: string) => Promise<void>;
  } = {},
): Promise<NativeRun> {
  const { settings = {}, pace = fast, prepare, ...run } = changes;
  const dir = await tempDir();
  const folder = path.join(dir.path, 'work');
  await mkdir(folder);
  await prepare?.(folder);
  runs += 1;
  const runId = `native-${provider}-${runs}`;
  const adapter = createNativeAgent(
    'native',
    { provider, 'base-url': addressOf(server, provider, scenario, runId), ...settings },
    pace,
  );
  const played = await runOnce(createAgentRunner(adapter, supervisor), folder, {
    model: 'scripted-model',
    timeoutMs: 50_000,
    env: {
      PATH: process.env['PATH'] ?? '/usr/bin:/bin',
      HOME: dir.path,
      [provider === 'anthropic' ? 'ANTHROPIC_API_KEY' : 'OPENAI_API_KEY']: secretKey,
    },
    ...run,
  });
  return { ...played, folder, dir, runId };
}
