import { faultOfStatus, kindOfStatus } from '../../../core/agent/api-failure.ts';
import type { AgentOutcome, AgentOutcomeKind } from '../../../core/agent/outcome.ts';
import { retryAfterMs } from '../../../core/agent/retry-after.ts';
import type { ProcessEnd } from '../../../ports/process.ts';
import { describeEnd } from '../agent-outcome.ts';
import { outcomeOf } from '../cli-agent.ts';
import { readOpenaiError } from '../openai-error.ts';
import type { OpencodeError, OpencodeState } from './opencode-stream.ts';

const kindOfName: Readonly<Record<string, AgentOutcomeKind>> = {
  ContextOverflowError: 'context_full',
  ContentFilterError: 'refused',
  MessageOutputLengthError: 'max_tokens',
  ProviderAuthError: 'auth',
  MessageAbortedError: 'interrupted',
};

/** There is no last event: the reason of the last step tells, unless there was an error. */
export function finishOpencode(
  state: OpencodeState,
  end: ProcessEnd,
  stderrTail: string,
): AgentOutcome {
  if (state.error !== null) return judgeError(state, state.error);
  const evidence = `step_finish: ${state.reason}`;
  switch (state.reason ?? '') {
    case 'stop':
      return outcomeOf(state, 'done', evidence);
    case 'length':
      return outcomeOf(state, 'max_tokens', evidence);
    case 'content-filter':
      return outcomeOf(state, 'refused', evidence);
    default:
      return state.denied !== null && end.kind === 'exited' && end.code === 0
        ? outcomeOf(state, 'denied', `permission denied: ${state.denied}`)
        : outcomeOf(state, 'crashed', `ended without a result: ${describeEnd(end, stderrTail)}`);
  }
}

function judgeError(state: OpencodeState, error: OpencodeError): AgentOutcome {
  const { name, status, message } = error;
  const evidence = [name, status, message]
    .filter((part) => part !== null && part !== '')
    .join(', ');
  const told = readOpenaiError(error.body);
  const kind =
    (Object.hasOwn(kindOfName, name) ? kindOfName[name] : undefined) ??
    told.kind ??
    (status === null ? (name === 'APIError' ? 'api_error' : 'crashed') : kindOfStatus(status));
  return outcomeOf(state, kind, `error: ${evidence}`, {
    retryAfterMs: kind === 'rate_limited' ? askedWait(error) : null,
    resetAtMs: kind === 'usage_limit' ? told.resetAtMs : null,
    ...(kind === 'api_error' ? { ...faultOfStatus(status), ...retriesOf(error) } : {}),
  });
}

/** A request that may be repeated was, so often, before the program told of it: 2, 4, 8, 16 and 30 s apart, without a word. */
const ownRetries = 5;

function retriesOf({ isRetryable }: OpencodeError): Pick<AgentOutcome, 'retries'> {
  return isRetryable ? { retries: ownRetries } : {};
}

function askedWait({ retryAfter, date }: OpencodeError): number | null {
  if (retryAfter === '') return null;
  return retryAfterMs(retryAfter, { dateMs: dateMs(retryAfter), nowMs: dateMs(date) });
}

function dateMs(text: string): number | null {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? null : ms;
}
