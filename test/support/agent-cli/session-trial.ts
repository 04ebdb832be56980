/** Loops of several iterations with a real agent CLI and the scripted model, to see what reaches the next iteration. */
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { CliAgent } from '../../../src/adapters/agents/cli-registry.ts';
import {
  startModelServer,
  type LoggedRequest,
} from '../../../src/adapters/model-server/model-server.ts';
import type { Ask, Reply, Usage } from '../../../src/adapters/model-server/scenario.ts';
import type { LoopEvent } from '../../../src/core/loop/event.ts';
import type { Loop } from '../../../src/core/loop/loop.ts';
import { gitRepo } from '../git-repo.ts';
import { openedProject } from '../opened-project.ts';
import { findCli } from './pinned.ts';
import { cliSetup, trialKey, trialKeyVariable, writeHomeFiles } from './setup.ts';

export type SessionTrial = {
  readonly agent: CliAgent;
  /** As in the configuration; absent: nothing is said. */
  readonly session?: unknown;
  /** What each request of the model uses. */
  readonly usage?: Partial<Usage>;
  /** Runs after each iteration, with the home folder as `$1`, before the check. */
  readonly meddle?: string;
  /** Asked for a handoff document it refuses. */
  readonly isMute?: boolean;
};

export type SessionTrialResult = {
  readonly loop: Loop;
  readonly events: readonly LoopEvent[];
  readonly prompts: readonly string[];
  /** What the model was asked in the first request of each agent run, as text. */
  readonly firstAsks: readonly string[];
};

export const handoffText = 'HANDOFF: mind the gap in n.txt.';

/** Adds a line, then says how many user messages it has seen. */
function count({ usage = {}, isMute }: SessionTrial) {
  return ({ messages, step }: Ask): Reply => {
    if ((messages.at(-1) ?? '').includes('Write a handoff document')) {
      if (isMute === true) return { kind: 'text', text: 'No.', stop: 'refusal', usage };
      return { kind: 'text', text: handoffText, stop: 'end', usage };
    }
    const command = 'echo x >> n.txt';
    if (step === 0) return { kind: 'acts', acts: [{ kind: 'shell', command }], usage };
    return { kind: 'text', text: 'I have said this before.', stop: 'end', usage };
  };
}

export async function runSessionTrial(trial: SessionTrial): Promise<SessionTrialResult> {
  const { agent, session, meddle = ':' } = trial;
  const bin = findCli(agent);
  if (bin === null) throw new Error(`${agent} is not installed`);
  await using server = await startModelServer({ scenarios: { count: count(trial) } });
  await using repo = await gitRepo();
  const root = path.dirname(repo.path);
  const runId = path.basename(root);
  await mkdir(path.join(root, 'tmp'));
  const home = repo.env['HOME'] ?? '';
  const setup = cliSetup(agent, server.base('count', runId));
  await writeHomeFiles(home, setup);
  const config = {
    agent: 'trial',
    agents: { trial: setup.settings },
    ...(session === undefined ? {} : { session }),
    validation: { command: 'test "$(wc -l < n.txt)" -ge 3' },
    verify: { confirm: 'off' },
    env: { pass: [`${trialKeyVariable.slice(0, 6)}*`] },
    hooks: { 'post-iteration': [{ command: `set -- ${home}; ${meddle}` }] },
  };
  await repo.write('loopwright.yml', JSON.stringify(config));
  await repo.commitAll('configuration');
  const env = {
    ...repo.env,
    PATH: [bin, path.dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
    TMPDIR: path.join(root, 'tmp'),
    [trialKeyVariable]: trialKey,
  };
  await using project = await openedProject({ path: repo.path, env }, { 'max-iterations': 4 });
  const loop = await project.runText('Count to three');
  const folder = path.join(project.engine.artifacts.loopDir(loop.id), 'iterations');
  const prompts = await Promise.all(
    loop.iterations.map(({ number }) =>
      readFile(path.join(folder, String(number).padStart(3, '0'), 'prompt.md'), 'utf8'),
    ),
  );
  return {
    loop,
    prompts,
    events: project.live.flatMap((event) =>
      event.kind === 'recorded' ? [event.recorded.event] : [],
    ),
    firstAsks: server
      .requests(runId)
      .filter(isFirst)
      .map(({ body }) => JSON.stringify(body)),
  };
}

function isFirst({ kind, ask }: LoggedRequest): boolean {
  return kind === 'ask' && ask?.step === 0;
}
