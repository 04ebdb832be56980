import { atFault, faultOfStatus, kindOfStatus } from '../../../core/agent/api-failure.ts';
import type { AgentOutcome, AgentOutcomeKind } from '../../../core/agent/outcome.ts';
import type { ProcessEnd } from '../../../ports/process.ts';
import { describeEnd } from '../agent-outcome.ts';
import { outcomeOf } from '../cli-agent.ts';
import { askedWaitMs, type ClaudeState, type Result } from './claude-stream.ts';

/** How the run ended, by its `result` line; without one it crashed, unless it was waiting to ask its model again. */
export function finishClaude(
  state: ClaudeState,
  end: ProcessEnd,
  stderrTail: string,
): AgentOutcome {
  const { result, retry } = state;
  if (result !== null) return judgeResult(state, result);
  if (retry !== null) return judgeRetry(state, retry);
  return outcomeOf(state, 'crashed', `ended without a result: ${describeEnd(end, stderrTail)}`);
}

function judgeRetry(state: ClaudeState, retry: NonNullable<ClaudeState['retry']>): AgentOutcome {
  const { status } = retry;
  const kind = status === null ? 'api_error' : kindOfStatus(status);
  const told = status === null ? (state.error ?? 'unknown') : `status ${status}`;
  return outcomeOf(state, kind, `api_retry with ${told}`, {
    retryAfterMs: kind === 'rate_limited' ? askedWaitMs(state) : null,
    ...(kind === 'api_error' ? { ...faultOfStatus(status), retries: state.retries - 1 } : {}),
  });
}

function judgeResult(state: ClaudeState, result: Result): AgentOutcome {
  if (!result.isError) {
    return state.denied === null
      ? outcomeOf(state, 'done', `result: ${result.reason || result.subtype}`)
      : outcomeOf(state, 'denied', `permission denied: ${state.denied}`);
  }
  const kind = kindOfError(result, state);
  const told = [result.apiError || result.reason || result.subtype, result.status, result.text];
  const evidence = `result: ${told.filter((part) => part !== '' && part !== null).join(', ')}`;
  return outcomeOf(state, kind, evidence, {
    retryAfterMs: kind === 'rate_limited' ? askedWaitMs(state) : null,
    resetAtMs: kind === 'usage_limit' && state.resetsAt !== null ? state.resetsAt * 1000 : null,
    ...(kind === 'api_error' ? { ...faultOf(result, state), retries: state.retries } : {}),
  });
}

const badRequests: ReadonlySet<string> = new Set(['invalid_request', 'model_not_found']);

function faultOf(result: Result, state: ClaudeState): Pick<AgentOutcome, 'fault'> {
  const isBad = badRequests.has(result.apiError || (state.error ?? ''));
  return result.status === null && isBad ? atFault : faultOfStatus(result.status);
}

/** `subtype` is `success` for nearly every failure, so it is looked at only where it says otherwise. */
function kindOfError(result: Result, state: ClaudeState): AgentOutcomeKind {
  if (result.subtype === 'error_max_turns' || result.reason === 'max_turns') return 'max_turns';
  if (result.subtype === 'error_max_budget_usd' || result.reason === 'budget_exhausted')
    return 'budget';
  if (result.reason === 'prompt_too_long') return 'context_full';
  if (result.stop === 'refusal') return 'refused';
  const error = result.apiError || (state.error ?? '');
  if (error === 'max_output_tokens') return 'max_tokens';
  if (error === 'usage_limit_reached') return 'usage_limit';
  if (result.status === 429 && state.resetsAt !== null) return 'usage_limit';
  if (result.status !== null) return kindOfStatus(result.status);
  if (error === 'authentication_failed' || error === 'billing_error') return 'auth';
  if (error === 'rate_limit') return 'rate_limited';
  return result.reason === 'api_error' || error !== '' ? 'api_error' : 'crashed';
}
