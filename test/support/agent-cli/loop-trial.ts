/** A whole loop with a real agent CLI and the scripted model: a wrong fix, its failure in the prompt, the right fix. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { CliAgent } from '../../../src/adapters/agents/cli-registry.ts';
import { fixFailure, fixFile } from '../../../src/adapters/model-server/fix-scenario.ts';
import type { ModelServer } from '../../../src/adapters/model-server/model-server.ts';
import { livingIn } from '../../adapters/process/fixture.ts';
import { gitRepo } from '../git-repo.ts';
import { openedProject } from '../opened-project.ts';
import { findCli } from './pinned.ts';
import { cliSetup, trialKey, trialKeyVariable, writeHomeFiles } from './setup.ts';
import { filesWith } from './trial.ts';

export type LoopTrialResult = {
  readonly agent: CliAgent;
  readonly status: string;
  readonly iterations: readonly {
    readonly kind: string | null;
    readonly isPassed: boolean | null;
  }[];
  /** Whether the prompt of each iteration shows the failure of the wrong fix. */
  readonly toldOfFailure: readonly boolean[];
  /** What the loop's branch holds in the end. */
  readonly fixed: string;
  readonly left: number;
  readonly leaks: readonly string[];
};

const check = `[ -f ${fixFile} ] || { echo '${fixFile} is missing'; exit 1; }
said=$(sh ${fixFile})
[ "$said" = 'hello world' ] || { echo "got: $said; wanted: hello world"; exit 1; }
`;

export async function runLoopTrial(agent: CliAgent, server: ModelServer): Promise<LoopTrialResult> {
  const bin = findCli(agent);
  if (bin === null) throw new Error(`${agent} is not installed`);
  await using repo = await gitRepo();
  const root = path.dirname(repo.path);
  const temp = path.join(root, 'tmp');
  await mkdir(temp);
  const setup = cliSetup(agent, server.base('fix', path.basename(root)));
  await writeHomeFiles(repo.env['HOME'] ?? '', setup);
  await repo.write('check.sh', check);
  const config = {
    agent: 'trial',
    agents: { trial: setup.settings },
    validation: { command: 'sh check.sh' },
    env: { pass: [`${trialKeyVariable.slice(0, 6)}*`] },
  };
  await repo.write('loopwright.yml', JSON.stringify(config));
  await repo.commitAll('the check and its configuration');
  const env = {
    ...repo.env,
    PATH: [bin, path.dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
    TMPDIR: temp,
    [trialKeyVariable]: trialKey,
  };
  await using project = await openedProject({ path: repo.path, env }, {});
  const loop = await project.runText('Greet the world', { keepGoing: true });
  const asks = server.requests(path.basename(root)).filter(({ ask }) => ask !== null);
  const prompts = asks
    .filter(({ kind, ask }) => kind === 'ask' && ask?.step === 0)
    .map(({ ask }) => ask?.messages.join('\n') ?? '');
  return {
    agent,
    status: loop.status,
    iterations: loop.iterations.map((iteration) => ({
      kind: iteration.agent?.kind ?? null,
      isPassed: iteration.report?.overall.passed ?? null,
    })),
    toldOfFailure: prompts.map((prompt) => prompt.includes(fixFailure)),
    fixed: await repo.git('show', `${loop.workspace.branch}:${fixFile}`),
    left: livingIn(loop.workspace.path).length,
    leaks: await filesWith(root, trialKey),
  };
}
