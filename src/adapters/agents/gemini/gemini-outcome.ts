import { faultOfStatus, kindOfStatus } from '../../../core/agent/api-failure.ts';
import type { AgentOutcome } from '../../../core/agent/outcome.ts';
import { retryAfterMs } from '../../../core/agent/retry-after.ts';
import { numberAt, objectAt, readObject, textAt } from '../../../core/json/fields.ts';
import type { ProcessEnd } from '../../../ports/process.ts';
import { describeEnd } from '../agent-outcome.ts';
import { outcomeOf } from '../cli-agent.ts';
import type { GeminiState } from './gemini-stream.ts';

const blocked = 'The model response was blocked';

/** A result of `success` is taken at its word: nothing in the stream tells of a reply cut at its token limit. */
export function finishGemini(
  state: GeminiState,
  end: ProcessEnd,
  stderrTail: string,
): AgentOutcome {
  const { result, complaint } = state;
  if (result === null) {
    return outcomeOf(state, 'crashed', `ended without a result: ${describeEnd(end, stderrTail)}`);
  }
  if (result.status === 'success') return outcomeOf(state, 'done', 'result: success');
  const message = result.message || complaint;
  const evidence = `result: ${[result.status, result.type, message].filter((part) => part !== '').join(', ')}`;
  if (result.type === 'FatalTurnLimitedError') return outcomeOf(state, 'max_turns', evidence);
  if (result.type === 'FatalAuthenticationError') return outcomeOf(state, 'auth', evidence);
  if (message.startsWith(blocked)) return outcomeOf(state, 'refused', evidence);
  // Without an error of its own the complaint is about the model's stream.
  if (result.message === '' && complaint !== '') return outcomeOf(state, 'api_error', evidence);
  return judgeApiError(state, { end, stderrTail, message, evidence });
}

function judgeApiError(
  state: GeminiState,
  told: {
    readonly end: ProcessEnd;
    readonly stderrTail: string;
    readonly message: string;
    readonly evidence: string;
  },
): AgentOutcome {
  const { end, stderrTail, message, evidence } = told;
  const api = readApiError(message);
  const status =
    api === null ? null : (api.status ?? statusOfExit(end) ?? statusOfComplaint(stderrTail));
  if (status === null) return outcomeOf(state, api === null ? 'crashed' : 'api_error', evidence);
  if (status === 400 && api?.message.includes('exceeds the maximum number of tokens') === true) {
    return outcomeOf(state, 'context_full', evidence);
  }
  // A key that is wrong is a bad request here.
  if (status === 400 && api?.message.startsWith('API key not valid') === true) {
    return outcomeOf(state, 'auth', evidence);
  }
  const kind = kindOfStatus(status);
  return outcomeOf(state, kind, evidence, {
    retryAfterMs: kind === 'rate_limited' ? suggestedWait(message) : null,
    ...(kind === 'api_error' ? faultOfStatus(status) : {}),
  });
}

/** `[API Error: {"error":{"code":401,...}}]`, or the same with a sentence instead of the answer. */
function readApiError(
  text: string,
): { readonly status: number | null; readonly message: string } | null {
  const beginning = '[API Error: ';
  if (!text.startsWith(beginning)) return null;
  const last = text.lastIndexOf(']');
  const body = text.slice(beginning.length, last === -1 ? undefined : last);
  const error = objectAt(readObject(body), 'error');
  return { status: numberAt(error, 'code'), message: textAt(error, 'message') || body };
}

const statuses = [400, 401, 403, 404, 408, 413, 429, 500, 502, 503, 504, 529];

/** Where the answer's status is not told, the exit code is what is left of it. */
function statusOfExit(end: ProcessEnd): number | null {
  if (end.kind !== 'exited') return null;
  return statuses.find((status) => status % 256 === end.code) ?? null;
}

/** A model that is not known is told of in words alone; the error that is printed last has the status as a field. */
function statusOfComplaint(stderrTail: string): number | null {
  const status = /\n {2}(?:code|status): (\d{3}),?\n\}\s*$/.exec(stderrTail)?.[1];
  return status === undefined ? null : Number(status);
}

function suggestedWait(message: string): number | null {
  const seconds = /\nSuggested retry after (\d{1,12}(?:\.\d{1,6})?)s\./.exec(message)?.[1];
  return seconds === undefined ? null : retryAfterMs(seconds, { dateMs: null, nowMs: null });
}
