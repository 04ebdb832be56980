import { faultOfStatus, kindOfStatus } from '../../../core/agent/api-failure.ts';
import type { AgentOutcome, AgentOutcomeKind } from '../../../core/agent/outcome.ts';
import type { ProcessEnd } from '../../../ports/process.ts';
import { describeEnd } from '../agent-outcome.ts';
import { outcomeOf } from '../cli-agent.ts';
import { readOpenaiError } from '../openai-error.ts';
import type { CodexState } from './codex-stream.ts';

/** A turn that ended well ends with a message; one without is what a refusal looks like here. */
export function finishCodex(state: CodexState, end: ProcessEnd, stderrTail: string): AgentOutcome {
  switch (state.end) {
    case 'completed':
      if (state.declined) return outcomeOf(state, 'denied', 'the last tool was declined');
      return state.lastItem === 'agent_message'
        ? outcomeOf(state, 'done', 'turn.completed')
        : outcomeOf(state, 'refused', 'turn.completed without a message');
    case 'failed': {
      const error = state.error ?? '';
      const kind = kindOfFailure(error);
      const fault = kind === 'api_error' ? faultOfStatus(statusIn(error)) : {};
      return outcomeOf(state, kind, `turn.failed: ${error}`, fault);
    }
    case null: {
      const why = state.error ?? describeEnd(end, stderrTail);
      return outcomeOf(state, 'crashed', `ended without a result: ${why}`);
    }
  }
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
];

/** The program tells of errors in sentences only, in a field of their own: nothing an agent writes comes here. */
function kindOfFailure(error: string): AgentOutcomeKind {
  const known = sentences.find(([beginning]) => error.startsWith(beginning));
  if (known !== undefined) return known[1];
  const status = statusIn(error);
  if (status !== null) return kindOfStatus(status);
  return readOpenaiError(error).kind ?? 'api_error';
}

function statusIn(error: string): number | null {
  const status = /^(?:unexpected status|exceeded retry limit, last status:) (\d{3})\b/.exec(
    error,
  )?.[1];
  return status === undefined ? null : Number(status);
}
