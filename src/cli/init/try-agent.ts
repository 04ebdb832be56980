import { tryVersion } from '../../adapters/agents/installed-agents.ts';
import { startOf } from '../../adapters/agents/registry.ts';
import { findObstacle } from '../../adapters/process/executable.ts';
import { agentEnvironment } from '../../core/env/allow-list.ts';
import { neededPrograms } from '../../core/preflight/needed-programs.ts';
import type { Supervisor } from '../../ports/process.ts';

/** Whether an agent can be started. Both null: it was not asked, as only a program of a known agent has a version. */
export type AgentTrial = { readonly version: string | null; readonly fault: string | null };

/** Runs `PROGRAM --version` of a known agent; of a shell command only the program is looked for. */
export async function tryAgent(
  spec: string,
  env: Readonly<Record<string, string | undefined>>,
  supervisor: Supervisor,
  signal: AbortSignal,
): Promise<AgentTrial> {
  const start = startOf(spec, {});
  if (start === null) return { version: null, fault: null };
  if (start.kind === 'shell') {
    const own = agentEnvironment(env, { pass: [], set: {}, reserved: {} });
    const named = neededPrograms(start.text).map(({ name }) => name);
    // What is in a folder is known in the worktree alone.
    const isAbsent = (name: string) =>
      findObstacle({ argv: [name], cwd: '/', env: own })?.code === 'ENOENT';
    const missing = named.find((name) => !name.includes('/') && isAbsent(name));
    const fault = missing === undefined ? null : `there is no program ${missing} on PATH`;
    return { version: null, fault };
  }
  const answer = await tryVersion(start.name, env, supervisor, signal);
  return 'fault' in answer
    ? { version: null, fault: answer.fault }
    : { version: answer.version, fault: null };
}
