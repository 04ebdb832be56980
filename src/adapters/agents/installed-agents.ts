import { agentEnvironment } from '../../core/env/allow-list.ts';
import { headChars } from '../../core/text/code-points.ts';
import { plainText } from '../../core/text/terminal.ts';
import { findObstacle } from '../process/executable.ts';
import type { ProcessEnd, ProcessSpec, Supervisor } from '../../ports/process.ts';

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
  const answer = await askForVersion(versionSpec(name, env), supervisor, signal);
  return 'version' in answer ? answer.version : null;
}

/** A version, possibly without a number that could be shown; or why the program does not start. */
export type VersionAnswer = { readonly version: string | null } | { readonly fault: string };

/** The same for a person who waits: with the reason of a failure, and with time for programs that start slowly. */
export function tryVersion(
  program: string,
  env: Environment,
  supervisor: Supervisor,
  signal: AbortSignal,
): Promise<VersionAnswer> {
  const spec = { ...versionSpec(program, env), timeoutMs: patientTimeoutMs };
  return askForVersion(spec, supervisor, signal);
}

async function askForVersion(
  spec: ProcessSpec,
  supervisor: Supervisor,
  signal: AbortSignal,
): Promise<VersionAnswer> {
  const { end, stdoutTail, stderrTail } = await supervisor.run(spec, {}, signal);
  if (end.kind === 'exited' && end.code === 0) return { version: versionIn(stdoutTail) };
  const said = lastLine(stderrTail) ?? lastLine(stdoutTail);
  const ending = describeVersionEnd(end, spec.argv.join(' '));
  return { fault: said === null ? ending : `${ending}: ${said}` };
}

function versionIn(output: string): string | null {
  const line = plainText(output)
    .split('\n')
    .find((text) => /\d/.test(text));
  return line === undefined ? null : headChars(line.trim(), maxVersionChars);
}

function lastLine(output: string): string | null {
  const line = plainText(output).trim().split('\n').at(-1)?.trim() ?? '';
  return line === '' ? null : headChars(line, maxSaidChars);
}

function describeVersionEnd(end: ProcessEnd, command: string): string {
  switch (end.kind) {
    case 'exited':
      return `\`${command}\` ended with exit code ${end.code}`;
    case 'signalled':
      return `\`${command}\` was ended by ${end.signal}`;
    case 'timed-out':
      return `\`${command}\` did not answer within ${Math.round(end.afterMs / 1000)} s`;
    case 'not-started':
      return end.error;
    case 'hung':
    case 'cancelled':
    case 'ended-after-result':
      return `\`${command}\` was ended before it answered`;
  }
}

const versionTimeoutMs = 3000;
const patientTimeoutMs = 15_000;
const maxVersionChars = 40;
const maxSaidChars = 200;

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
