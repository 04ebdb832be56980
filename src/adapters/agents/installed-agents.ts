import { agentEnvironment } from '../../core/env/allow-list.ts';
import { headChars } from '../../core/text/code-points.ts';
import { plainText } from '../../core/text/terminal.ts';
import { findObstacle } from '../process/executable.ts';
import type { ProcessSpec, Supervisor } from '../../ports/process.ts';

/** An agent CLI that may be installed. */
export type KnownAgent = {
  /** The agent's name, which is also its program. */
  readonly name: string;
  readonly title: string;
  /** Runs it as a plain command that reads its prompt from stdin, where its adapter is not built. */
  readonly command: string;
};

/** In the order in which they are taken when none is configured. */
export const knownAgents: readonly KnownAgent[] = [
  { name: 'claude', title: 'Claude Code', command: 'claude -p --permission-mode acceptEdits' },
  { name: 'codex', title: 'Codex', command: 'codex exec --sandbox workspace-write -' },
  { name: 'gemini', title: 'Gemini CLI', command: 'gemini --approval-mode yolo' },
  { name: 'opencode', title: 'opencode', command: 'opencode run' },
  { name: 'pi', title: 'pi', command: 'pi -p' },
];

type Environment = Readonly<Record<string, string | undefined>>;

/** Those whose program is on PATH. Nothing is executed. */
export function findInstalledAgents(env: Environment): Promise<readonly KnownAgent[]> {
  const found = knownAgents.filter(({ name }) => findObstacle(versionSpec(name, env)) === null);
  return Promise.resolve(found);
}

/** What `NAME --version` says on its first line; null when it says nothing in time. */
export async function readVersion(
  name: string,
  env: Environment,
  supervisor: Supervisor,
  signal: AbortSignal,
): Promise<string | null> {
  const { end, stdoutTail } = await supervisor.run(versionSpec(name, env), {}, signal);
  if (end.kind !== 'exited' || end.code !== 0) return null;
  const line = plainText(stdoutTail)
    .split('\n')
    .find((text) => /\d/.test(text));
  return line === undefined ? null : headChars(line.trim(), maxVersionChars);
}

const versionTimeoutMs = 3000;
const maxVersionChars = 40;

function versionSpec(program: string, env: Environment): ProcessSpec {
  return {
    argv: [program, '--version'],
    cwd: '/',
    env: agentEnvironment(env, { pass: [], set: {}, reserved: {} }),
    stdin: null,
    stdoutFile: null,
    stderrFile: null,
    tailBytes: 4096,
    timeoutMs: versionTimeoutMs,
    graceMs: 200,
  };
}
