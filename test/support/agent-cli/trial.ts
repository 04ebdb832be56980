/** One real run of one agent CLI against one scenario, in a repository, home and temp folder of its own. */
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import type { CliAgent } from '../../../src/adapters/agents/cli-registry.ts';
import { resolveAgent } from '../../../src/adapters/agents/registry.ts';
import type { ModelServer } from '../../../src/adapters/model-server/model-server.ts';
import type { Activity, AgentOutcome } from '../../../src/core/agent/outcome.ts';
import type { AgentRunResult } from '../../../src/ports/agent.ts';
import type { Supervisor } from '../../../src/ports/process.ts';
import { livingIn } from '../../adapters/process/fixture.ts';
import { gitRepo } from '../git-repo.ts';
import { findCli } from './pinned.ts';
import { cliSetup, trialKey, trialKeyVariable, writeHomeFiles } from './setup.ts';

/** The scenario in which nothing listens where the model should be. */
export const refused = 'refused';

export type Trial = {
  readonly agent: CliAgent;
  readonly scenario: string;
  readonly maxTurns?: number;
  /** How often the agent may repeat a request by itself. */
  readonly apiRetries?: number;
  readonly timeoutMs?: number;
  /** Cancels the run once the model was asked so often. */
  readonly cancelAt?: number;
  /** Arguments of the user. */
  readonly args?: readonly string[];
  /** Further variables of the agent. */
  readonly env?: Readonly<Record<string, string>>;
};

export type TrialResult = {
  readonly trial: Trial;
  readonly outcome: AgentOutcome;
  readonly end: AgentRunResult['end'];
  readonly activities: readonly Activity[];
  readonly usage: readonly Pick<AgentOutcome, 'tokens' | 'costUsd'>[];
  readonly turns: number;
  /** `git status --porcelain`, line by line. */
  readonly changes: readonly string[];
  readonly requests: number;
  /** Whether every request carried the key. */
  readonly isKeySent: boolean;
  /** Processes that still work in the run's folder. */
  readonly left: number;
  /** Files that contain the key, of all the run has written. */
  readonly leaks: readonly string[];
  readonly stdout: string;
  readonly stderr: string;
  /** Everything of the run was below it. */
  readonly folder: string;
};

export async function runTrial(
  trial: Trial,
  server: ModelServer,
  supervisor: Supervisor,
): Promise<TrialResult> {
  const bin = findCli(trial.agent);
  if (bin === null) throw new Error(`${trial.agent} is not installed`);
  await using repo = await gitRepo();
  const home = repo.env['HOME'] ?? '';
  const root = path.dirname(repo.path);
  const temp = path.join(root, 'tmp');
  await mkdir(temp);
  const runId = path.basename(root);
  const base =
    trial.scenario === refused
      ? `http://127.0.0.1:${await closedPort()}`
      : server.base(trial.scenario, runId);
  const setup = cliSetup(trial.agent, base);
  await writeHomeFiles(home, setup);
  const settings = {
    ...setup.settings,
    args: [...(setup.settings.args ?? []), ...(trial.args ?? [])],
    env: { [trialKeyVariable]: trialKey, ...trial.env },
  };
  const agent = await resolveAgent('trial', { trial: settings }, { supervisor, folder: root });
  const activities: Activity[] = [];
  const usage: Pick<AgentOutcome, 'tokens' | 'costUsd'>[] = [];
  let turns = 0;
  const stop = new AbortController();
  const asked = setInterval(() => {
    if (server.requests(runId).length >= (trial.cancelAt ?? Infinity)) stop.abort();
  }, 20);
  const { outcome, end } = await agent.run(
    {
      loopId: 'loop-00000001',
      taskId: 't-00000001',
      iteration: 1,
      maxIterations: 10,
      model: null,
      systemPrompt: null,
      prompt: 'Do the work.\n',
      promptFile: path.join(repo.outside, 'prompt.md'),
      cwd: repo.path,
      env: {
        PATH: [bin, path.dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
        HOME: home,
        TMPDIR: temp,
        TERM: 'dumb',
        LANG: 'C.UTF-8',
      },
      maxTurns: trial.maxTurns ?? 20,
      apiRetries: trial.apiRetries ?? 3,
    },
    { stdout: path.join(repo.outside, 'stdout'), stderr: path.join(repo.outside, 'stderr') },
    { timeoutMs: trial.timeoutMs ?? 120_000, graceMs: 2000 },
    {
      started: () => Promise.resolve(),
      activity: (activity) => activities.push(activity),
      usage: (tokens, costUsd) => usage.push({ tokens, costUsd }),
      turns: (count) => {
        turns = count;
      },
    },
    stop.signal,
  );
  clearInterval(asked);
  await supervisor.endStandby('loop-00000001');
  const requests = server.requests(runId).filter(({ kind }) => kind !== 'unknown');
  return {
    trial,
    outcome,
    end,
    activities,
    usage,
    turns,
    changes: (await repo.git('status', '--porcelain')).split('\n').filter((line) => line !== ''),
    requests: requests.filter(({ kind }) => kind === 'ask').length,
    isKeySent: requests.every(({ headers }) => JSON.stringify(headers).includes(trialKey)),
    left: livingIn(repo.path).length,
    leaks: await filesWith(root, trialKey),
    stdout: await readFile(path.join(repo.outside, 'stdout'), 'utf8'),
    stderr: await readFile(path.join(repo.outside, 'stderr'), 'utf8'),
    folder: root,
  };
}

async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => {
    server.close(resolve);
  });
  if (typeof address === 'object' && address !== null) return address.port;
  throw new Error('no port was free');
}

/** Paths below the folder of files that contain a text. */
export async function filesWith(folder: string, text: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of await readdir(folder, { recursive: true })) {
    const file = path.join(folder, name);
    const isFile = await stat(file).then(
      (entry) => entry.isFile(),
      () => false,
    );
    if (isFile && (await readFile(file)).includes(text)) found.push(name);
  }
  return found;
}
