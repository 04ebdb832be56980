import type { ModelKnowledge } from '../../core/preflight/model-knowledge.ts';
import type { Supervisor } from '../../ports/process.ts';
import { askEndpoint } from './native/endpoint-models.ts';
import type { EndpointSettings } from './native/endpoint.ts';

/** A program that is asked about a model, and spends nothing for it. */
export type ModelQuestion = {
  readonly argv: readonly [string, ...string[]];
  /** Below what the environment of the agent says. */
  readonly env: Readonly<Record<string, string>>;
  read(answer: {
    readonly code: number;
    readonly stdout: string;
    readonly stderr: string;
  }): ModelKnowledge;
  /** Asked for the models there are, where the answer does not tell. */
  readonly list?: {
    readonly argv: readonly [string, ...string[]];
    read(stdout: string): readonly string[];
  };
};

export type ModelSource =
  | { readonly kind: 'program'; readonly question: ModelQuestion }
  | { readonly kind: 'endpoint'; readonly settings: EndpointSettings };

export type AskedFrom = {
  readonly supervisor: Supervisor;
  /** The user's checkout: agents read settings there. */
  readonly folder: string;
  /** That of the agent. */
  readonly env: Readonly<Record<string, string>>;
};

const programLimitMs = 30_000;
const endpointLimitMs = 10_000;
const maxBytes = 1024 * 1024;

/** Asks. Never throws for what the other side does: no answer, or a strange one, is `unsure`. */
export async function askForModel(
  source: ModelSource,
  model: string,
  { supervisor, folder, env }: AskedFrom,
  signal: AbortSignal,
): Promise<ModelKnowledge> {
  if (source.kind === 'endpoint') {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(endpointLimitMs)]);
    return askEndpoint(source.settings, model, env, limit);
  }
  const { question } = source;
  const spec = {
    cwd: folder,
    env: { ...question.env, ...env },
    stdin: null,
    stdoutFile: null,
    stderrFile: null,
    tailBytes: maxBytes,
    timeoutMs: programLimitMs,
    graceMs: 500,
  };
  const run = async (argv: readonly [string, ...string[]]) => {
    const { end, stdoutTail, stderrTail } = await supervisor.run({ ...spec, argv }, {}, signal);
    if (end.kind !== 'exited') return null;
    return { code: end.code, stdout: stdoutTail, stderr: stderrTail };
  };
  const told = await run(question.argv);
  if (told === null) return { kind: 'unsure' };
  const answer = question.read(told);
  if (answer.kind !== 'unknown' || answer.models.length > 0 || question.list === undefined)
    return answer;
  const listed = await run(question.list.argv);
  return listed === null ? answer : { ...answer, models: question.list.read(listed.stdout) };
}
