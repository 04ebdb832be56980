import { fitsSystemPrompt } from '../../../core/prompt/system-prompt.ts';
import { faultOfStatus, kindOfStatus } from '../../../core/agent/api-failure.ts';
import type { AgentOutcome } from '../../../core/agent/outcome.ts';
import type { AgentAdapter, AgentRun } from '../../../ports/agent.ts';
import type { ProcessEnd } from '../../../ports/process.ts';
import { describeEnd } from '../agent-outcome.ts';
import { outcomeOf, unlessGiven, wholePrompt, type CliSettings } from '../cli-agent.ts';
import { readOpenaiError } from '../openai-error.ts';
import { providerKeys } from '../provider-keys.ts';
import { parsePi, piStart, type PiState } from './pi-stream.ts';

/** pi, headless. */
export function createPiAgent(settings: CliSettings): AgentAdapter<PiState> {
  return {
    name: settings.name,
    kind: 'cli',
    hasSystemPrompt: true,
    reportsUsage: true,
    permissions: 'bypassed',
    variables: ['PI_CODING_AGENT_DIR', ...providerKeys],
    command: (run) => ({
      argv: [settings.program, ...settings.args, ...piArgs(settings, run)],
      env: { PI_OFFLINE: '1', ...run.env },
      stdin: fitsSystemPrompt(run.systemPrompt) ? run.prompt : wholePrompt(run),
      files: {},
      state: ['.pi'],
    }),
    start: () => piStart,
    parse: parsePi,
    finish: finishPi,
  };
}

function piArgs(settings: CliSettings, run: AgentRun): readonly string[] {
  return [
    '--mode',
    'json',
    '-p',
    ...unlessGiven(settings, '--no-session'),
    ...(run.model === null ? [] : ['--model', run.model]),
    ...(fitsSystemPrompt(run.systemPrompt) ? ['--append-system-prompt', run.systemPrompt] : []),
  ];
}

const refusals = ['content_filter', 'refusal', 'sensitive', 'SAFETY', 'PROHIBITED_CONTENT'];

/** Its exit code is 0 whatever happens: the last message of the model tells how the run ended. */
export function finishPi(state: PiState, end: ProcessEnd, stderrTail: string): AgentOutcome {
  const { stop, rawStop, error, isRepeating } = state;
  if ((!state.isOver && !isRepeating) || stop === null) {
    return outcomeOf(state, 'crashed', `ended without a result: ${describeEnd(end, stderrTail)}`);
  }
  const evidence = `stopReason ${stop}${error === '' ? '' : `: ${error}`}`;
  switch (stop) {
    case 'stop':
      return outcomeOf(state, 'done', evidence);
    case 'length':
      return outcomeOf(state, 'max_tokens', evidence);
    case 'aborted':
      return outcomeOf(state, 'interrupted', evidence);
    case 'error':
      return refusals.includes(rawStop)
        ? outcomeOf(state, 'refused', evidence)
        : judgeError(state, evidence);
    default:
      return outcomeOf(state, 'crashed', `ended after ${evidence}`);
  }
}

/** `429: {"code":...}`, or a sentence of the transport. */
function judgeError(state: PiState, evidence: string): AgentOutcome {
  const [, status, body] = /^(\d{3})\b:?\s*(.*)$/s.exec(state.error) ?? [];
  const retries = state.retries - (state.isRepeating ? 1 : 0);
  if (status === undefined) return outcomeOf(state, 'api_error', evidence, { retries });
  const told = readOpenaiError(body ?? '');
  const kind = told.kind ?? (isTooLong(body ?? '') ? 'context_full' : kindOfStatus(Number(status)));
  return outcomeOf(state, kind, evidence, {
    resetAtMs: kind === 'usage_limit' ? told.resetAtMs : null,
    ...(kind === 'api_error' ? { ...faultOfStatus(Number(status)), retries } : {}),
  });
}

/** Anthropic has no code for it, only a sentence. */
function isTooLong(body: string): boolean {
  return body.includes('"message":"prompt is too long');
}
