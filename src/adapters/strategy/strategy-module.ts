import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { LoopwrightError } from '../../core/error.ts';
import { assertLoopDecision } from '../../core/strategy/registry.ts';
import type { LoopStrategy } from '../../core/strategy/strategy.ts';
import { plainText } from '../../core/text/terminal.ts';
import type { Supervisor } from '../../ports/process.ts';
import { nodeProgram } from '../process/own-process.ts';
import { StrategyReply } from './strategy-reply.ts';

type Parts = {
  readonly supervisor: Supervisor;
  readonly env: Readonly<Record<string, string>>;
  /** The user's checkout, which the path of the module is relative to. */
  readonly root: string;
};

const loadTimeoutMs = 10_000;
/** A strategy that takes longer is overruled; its process is ended then. */
const callTimeoutMs = 30_000;
const graceMs = 500;
/** A decision with its feedback and metadata; more than this is not read. */
const maxAnswerBytes = 1024 * 1024;

/**
 * A strategy of the user's own. Each call is a process of its own under the supervisor: all state is in the event, and nothing
 * that a module starts outlives its answer. Throws `strategy.unloadable` and `strategy.invalid`.
 */
export async function loadStrategyModule(module: string, parts: Parts): Promise<LoopStrategy> {
  const file = path.resolve(parts.root, module);
  const loaded = await ask(parts, [file, module], null, loadTimeoutMs).catch((cause: unknown) => {
    throw unloadable(file, cause instanceof Error ? cause.message : String(cause), cause);
  });
  if (loaded.kind === 'failed') {
    throw loaded.isShape ? invalid(loaded.text) : unloadable(file, loaded.text);
  }
  if (loaded.kind !== 'loaded') throw unloadable(file, 'its runner gave no name');
  const call = async (method: string, event: unknown): Promise<unknown> => {
    const reply = await ask(parts, [file, module, method], JSON.stringify(event), callTimeoutMs);
    if (reply.kind === 'answered') return reply.answer;
    throw new Error(reply.kind === 'failed' ? reply.text : 'it gave no answer');
  };
  return {
    name: loaded.name,
    onIterationComplete: async (event) =>
      assertLoopDecision(await call('onIterationComplete', event), module),
    ...(loaded.hasEnd ? { onLoopEnd: async (event) => void (await call('onLoopEnd', event)) } : {}),
  };
}

async function ask(
  { supervisor, env, root }: Parts,
  words: readonly string[],
  stdin: string | null,
  timeoutMs: number,
): Promise<StrategyReply> {
  const { end, stdoutTail, stderrTail } = await supervisor.run(
    {
      argv: [nodeProgram, runnerFile(), ...words],
      cwd: root,
      env,
      stdin,
      stdoutFile: null,
      stderrFile: null,
      tailBytes: maxAnswerBytes,
      timeoutMs,
      graceMs,
    },
    {},
    new AbortController().signal,
  );
  if (end.kind === 'timed-out') {
    throw new Error(`it took longer than ${timeoutMs / 1000} s and was ended`);
  }
  const reply = parseReply(stdoutTail.trimEnd().split('\n').at(-1) ?? '');
  if (reply !== null) return reply;
  const said = plainText(stderrTail).trim().split('\n').at(-1) ?? '';
  const isUnsettled = end.kind === 'exited' && end.code === unsettledExitCode;
  throw new Error(
    isUnsettled
      ? 'it never answered: its promise was not settled'
      : said || 'it ended without an answer',
  );
}

/** How Node ends when a top-level `await` can never go on. */
const unsettledExitCode = 13;

function parseReply(line: string): StrategyReply | null {
  try {
    return StrategyReply().safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}

function unloadable(file: string, reason: string, cause?: unknown): LoopwrightError {
  return new LoopwrightError(
    'strategy.unloadable',
    `the strategy module ${file} cannot be loaded: ${reason}`,
    { cause, hint: 'correct `strategy.module` or the module itself' },
  );
}

function invalid(text: string): LoopwrightError {
  return new LoopwrightError('strategy.invalid', text, {
    hint: 'A strategy is an object with name and onIterationComplete(event), which returns {continue, reason}.',
  });
}

/** From sources the runner is the file beside this one; a build emits it as `strategy-runner.js` beside the bundle. */
function runnerFile(): string {
  const name = import.meta.url.endsWith('.ts') ? './strategy-runner.ts' : './strategy-runner.js';
  return fileURLToPath(new URL(name, import.meta.url));
}
