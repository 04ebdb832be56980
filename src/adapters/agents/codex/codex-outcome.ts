import { atFault, faultOfStatus, kindOfStatus } from '../../../core/agent/api-failure.ts';
import type { AgentOutcome, AgentOutcomeKind } from '../../../core/agent/outcome.ts';
import type { ProcessEnd } from '../../../ports/process.ts';
import { nextLocalTime } from '../../clock/local-time.ts';
import { describeEnd } from '../agent-outcome.ts';
import { outcomeOf } from '../cli-agent.ts';
import { readOpenaiError } from '../openai-error.ts';
import type { CodexState } from './codex-stream.ts';

/** A turn that ended well ends with a message; one without is what a refusal looks like here. */
export function finishCodex(
  state: CodexState,
  end: ProcessEnd,
  stderrTail: string,
  _stdout = '',
  nowMs: number | null = null,
): AgentOutcome {
  switch (state.end) {
    case 'completed':
      if (state.declined) return outcomeOf(state, 'denied', 'the last tool was declined');
      return state.lastItem === 'agent_message'
        ? outcomeOf(state, 'done', 'turn.completed')
        : outcomeOf(state, 'refused', 'turn.completed without a message');
    case 'failed': {
      const error = state.error ?? '';
      const outcome = failed(state, error, `turn.failed: ${error}`, state.retry?.count ?? 0);
      if (outcome.kind !== 'usage_limit' || nowMs === null) return outcome;
      return { ...outcome, resetAtMs: resetAfter(error, nowMs) };
    }
    case null: {
      // It was about to ask its model again.
      if (state.retry !== null) {
        const { why, count } = state.retry;
        return failed(state, why, `reconnecting: ${why}`, count - 1);
      }
      const why = state.error ?? describeEnd(end, stderrTail);
      return outcomeOf(state, 'crashed', `ended without a result: ${why}`);
    }
  }
}

function failed(state: CodexState, error: string, evidence: string, retries: number): AgentOutcome {
  const kind = kindOfFailure(error);
  const more = kind === 'api_error' ? { ...faultOf(error), retries } : {};
  return outcomeOf(state, kind, evidence, more);
}

/** `... or try again at 4:29 AM.`: the minute in which the window begins anew, which is over when the next one begins. */
function resetAfter(error: string, nowMs: number): number | null {
  const at = / try again at (.{1,40})\.$/i.exec(error)?.[1];
  const minute = at === undefined ? null : nextLocalTime(at, nowMs);
  return minute === null ? null : minute + 60_000;
}

/** Beginnings of sentences the program makes itself. The answers of a provider come behind them. */
const sentences: readonly (readonly [beginning: string, kind: AgentOutcomeKind])[] = [
  ['Incomplete response returned, reason: max_output_tokens', 'max_tokens'],
  ['Incomplete response returned, reason: content_filter', 'refused'],
  ['You’ve hit your usage limit', 'usage_limit'],
  ["You've hit your usage limit", 'usage_limit'],
  ['Codex ran out of room in the model', 'context_full'],
  ['Quota exceeded', 'auth'],
  ['To use Codex with your ChatGPT plan', 'auth'],
  ['Missing environment variable', 'auth'],
  ['Your access token could not be refreshed', 'auth'],
  ...[
    'stream disconnected before completion',
    'Connection failed',
    'error sending request',
    'request timed out',
    'We’re currently experiencing high demand',
    "We're currently experiencing high demand",
    'Selected model is at capacity',
    'Policy-restricted capacity is unavailable',
    'Flex capacity unavailable',
  ].map((beginning) => [beginning, 'api_error'] as const),
];

/** The program tells of errors in sentences only, in a field of their own: nothing an agent writes comes here. */
function kindOfFailure(error: string): AgentOutcomeKind {
  const known = sentences.find(([beginning]) => error.startsWith(beginning));
  if (known !== undefined) return known[1];
  const status = statusIn(error);
  if (status !== null) return kindOfStatus(status);
  return readOpenaiError(error).kind ?? 'api_error';
}

/** What is neither a status nor a sentence of its own is the provider's answer to a request that it refuses for what it is. */
function faultOf(error: string): Pick<AgentOutcome, 'fault'> {
  const status = statusIn(error);
  if (status !== null) return faultOfStatus(status);
  return sentences.some(([beginning]) => error.startsWith(beginning)) ? {} : atFault;
}

function statusIn(error: string): number | null {
  const status = /^(?:unexpected status|exceeded retry limit, last status:) (\d{3})\b/.exec(
    error,
  )?.[1];
  return status === undefined ? null : Number(status);
}
