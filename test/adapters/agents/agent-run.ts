import path from 'node:path';
import type { Activity, AgentOutcome } from '../../../src/core/agent/outcome.ts';
import type {
  AgentLimits,
  AgentRun,
  AgentRunner,
  AgentRunResult,
} from '../../../src/ports/agent.ts';

export type Played = AgentRunResult & {
  readonly activities: readonly Activity[];
  readonly usage: readonly Pick<AgentOutcome, 'tokens' | 'costUsd'>[];
};

/** One run in `folder`; its streams go to `folder`'s sibling files so that they are no change of the agent's. */
export async function runOnce(
  agent: AgentRunner,
  folder: string,
  changes: Partial<
    AgentRun & AgentLimits & { signal: AbortSignal; activity: (activity: Activity) => void }
  > = {},
): Promise<Played> {
  const activities: Activity[] = [];
  const usage: Pick<AgentOutcome, 'tokens' | 'costUsd'>[] = [];
  const run: AgentRun = {
    loopId: 'loop-00000001',
    taskId: 't-00000001',
    iteration: 1,
    maxIterations: 10,
    model: null,
    systemPrompt: null,
    prompt: 'Do the work.\n',
    promptFile: path.join(folder, '..', 'prompt.md'),
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
    maxTurns: 50,
    ...changes,
  };
  const result = await agent.run(
    run,
    { stdout: path.join(folder, '..', 'stdout'), stderr: path.join(folder, '..', 'stderr') },
    { timeoutMs: changes.timeoutMs ?? 30_000, graceMs: changes.graceMs ?? 100 },
    {
      started: () => Promise.resolve(),
      activity(activity) {
        activities.push(activity);
        changes.activity?.(activity);
      },
      usage: (tokens, costUsd) => usage.push({ tokens, costUsd }),
    },
    changes.signal ?? new AbortController().signal,
  );
  return { ...result, activities, usage };
}
