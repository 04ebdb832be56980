/**
 * Records the streams of the installed agent CLIs against the scripted model, for `test/fixtures/agent-streams`:
 * `node scripts/record-agents.ts [AGENT [SCENARIO...]]`.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { cliAgents } from '../src/adapters/agents/cli-registry.ts';
import { startModelServer } from '../src/adapters/model-server/model-server.ts';
import { createSupervisor } from '../src/adapters/process/supervisor.ts';
import { casesOf } from '../test/support/agent-cli/expectations.ts';
import { findCli, pinnedClis } from '../test/support/agent-cli/pinned.ts';
import { recordingFile, renderRecording } from '../test/support/agent-cli/recording.ts';
import { runTrial } from '../test/support/agent-cli/trial.ts';

const [wanted, ...scenarios] = process.argv.slice(2);
await using server = await startModelServer();
await using supervisor = createSupervisor();

for (const agent of cliAgents) {
  if (wanted !== undefined && wanted !== agent) continue;
  if (findCli(agent) === null) {
    console.log(`${agent} is not installed`);
    continue;
  }
  for (const { trial } of casesOf(agent)) {
    if (scenarios.length > 0 && !scenarios.includes(trial.scenario)) continue;
    const { outcome, end, stdout, stderr, folder } = await runTrial(trial, server, supervisor);
    const { version } = pinnedClis[agent];
    const about = { agent, version, scenario: trial.scenario, end, stderr: stderr.slice(-400) };
    const file = recordingFile(agent, trial.scenario);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, renderRecording(about, stdout, folder));
    console.log(`${agent} ${trial.scenario}: ${outcome.kind}`);
  }
}
