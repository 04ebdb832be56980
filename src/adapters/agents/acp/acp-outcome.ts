/** From what a session was answered to an outcome: by codes and fields, never by the words of a message. */
import { atFault, faultOfStatus } from '../../../core/agent/api-failure.ts';
import type { AgentOutcome, AgentOutcomeKind, Tokens } from '../../../core/agent/outcome.ts';
import { parseSigils } from '../../../core/transcript/sigils.ts';
import type { ProcessEnd } from '../../../ports/process.ts';
import { bareOutcome, describeEnd } from '../agent-outcome.ts';
import type { AcpLine } from './acp-line.ts';
import { numberAt, textAt, valueAt } from './json-path.ts';

export type AcpEnding = {
  readonly answer: Readonly<Record<string, unknown>> | null;
  readonly error: Extract<AcpLine, { type: 'error' }> | null;
  readonly failure: string | null;
  /** The agent said that its own machinery failed, whatever it answered then. */
  readonly fault: { readonly status: number | null; readonly text: string } | null;
  readonly toolCalls: number;
  readonly finalText: string;
  /** Null: not reported. */
  readonly tokens: Tokens | null;
};

type Verdict = Pick<AgentOutcome, 'kind' | 'evidence' | 'fault'> & {
  readonly retryAfterMs?: number | null;
};

/** Always of low confidence: agents answer `end_turn` to much that is no end. */
export function judgeSession(ending: AcpEnding, end: ProcessEnd, stderrTail: string): AgentOutcome {
  const { retryAfterMs = null, ...verdict } = verdictOf(ending, end, stderrTail);
  const { kind, evidence } = verdict;
  return { ...bareOutcome(kind, evidence), ...verdict, retryAfterMs, confidence: 'low' };
}

function verdictOf(ending: AcpEnding, end: ProcessEnd, stderrTail: string): Verdict {
  const { answer, error, failure } = ending;
  if (error !== null) return afterError(error);
  if (answer !== null) return afterAnswer(ending, textAt(answer, 'stopReason') ?? 'no stop reason');
  const why = failure ?? `ended without an answer: ${describeEnd(end, stderrTail)}`;
  return { kind: 'crashed', evidence: why };
}

function afterAnswer(ending: AcpEnding, stopReason: string): Verdict {
  const evidence = `stop reason ${stopReason}`;
  switch (stopReason) {
    case 'end_turn':
      return afterEndTurn(ending);
    case 'max_tokens':
      return { kind: 'max_tokens', evidence };
    case 'max_turn_requests':
      return { kind: 'max_turns', evidence };
    case 'refusal':
      return { kind: 'refused', evidence };
    case 'cancelled':
      return { kind: 'interrupted', evidence };
    default:
      return { kind: 'crashed', evidence };
  }
}

function afterEndTurn({ fault, toolCalls, finalText, tokens }: AcpEnding): Verdict {
  if (fault !== null) {
    const kind = kindOfStatus(fault.status) ?? 'api_error';
    return { kind, evidence: `end_turn, but the agent reports a failure: ${fault.text}` };
  }
  if (tokens?.output === 0) {
    return { kind: 'api_error', evidence: 'end_turn, but the model said nothing', ...atFault };
  }
  const { taskDone, taskFailed } = parseSigils(finalText);
  if (toolCalls === 0 && tokens === null && taskDone === null && taskFailed === null) {
    const evidence = 'end_turn, but no tool was used and no use is reported';
    return { kind: 'api_error', evidence, ...atFault };
  }
  if (toolCalls === 0 && finalText.trim() === '') {
    return { kind: 'refused', evidence: 'end_turn, but nothing was said and nothing done' };
  }
  return { kind: 'done', evidence: 'stop reason end_turn' };
}

const authRequired = -32_000;

function afterError({ step, code, message, data }: Extract<AcpLine, { type: 'error' }>): Verdict {
  const told = `${step}: ${message.slice(0, 300).toWellFormed()}`;
  if (code === authRequired) return { kind: 'auth', evidence: told };
  const status = statusOf(code, data);
  const kind = kindOfName(data) ?? kindOfStatus(status);
  const evidence = status === null ? told : `${told} (status ${status})`;
  if (kind !== null) return { kind, evidence, retryAfterMs: retryAfterOf(data) };
  if (step !== 'session/prompt') return { kind: 'crashed', evidence };
  return { kind: 'api_error', evidence, ...faultOfStatus(status) };
}

/** An HTTP status, where agents put it: the code itself, or a field of the data. */
function statusOf(code: number | null, data: unknown): number | null {
  const fields = ['statusCode', 'status', 'code', 'api_error_status', 'httpStatusCode'];
  const found = [code, ...fields.map((name) => numberAt(data, name))];
  return found.find((value) => value !== null && value >= 400 && value < 600) ?? null;
}

function kindOfStatus(status: number | null): AgentOutcomeKind | null {
  if (status === null) return null;
  if (status === 401 || status === 403) return 'auth';
  if (status === 429) return 'rate_limited';
  if (status === 413) return 'context_full';
  return status >= 500 || status === 408 ? 'api_error' : null;
}

/** Names of errors as the known agents write them. */
const errorNames: Readonly<Record<string, AgentOutcomeKind>> = {
  max_output_tokens: 'max_tokens',
  MessageOutputLengthError: 'max_tokens',
  prompt_too_long: 'context_full',
  context_length_exceeded: 'context_full',
  ContextOverflowError: 'context_full',
  rate_limit: 'rate_limited',
  authentication_failed: 'auth',
  ProviderAuthError: 'auth',
  refusal: 'refused',
  ContentFilterError: 'refused',
  server_error: 'api_error',
};

function kindOfName(data: unknown): AgentOutcomeKind | null {
  for (const field of ['errorKind', 'errorName', 'type', 'code']) {
    const name = textAt(data, field);
    if (name !== null && Object.hasOwn(errorNames, name)) return errorNames[name] ?? null;
  }
  return null;
}

function retryAfterOf(data: unknown): number | null {
  const headers = valueAt(data, 'responseHeaders');
  const seconds = Number(
    textAt(headers, 'retry-after') ?? numberAt(data, 'retryAfter') ?? Number.NaN,
  );
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null;
}
