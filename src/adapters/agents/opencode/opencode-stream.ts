/** Reads `opencode run --format json`. */
import { addTokens, type Tokens } from '../../../core/agent/outcome.ts';
import { activityOf, finishedAfter, toolActivity } from '../../../core/agent/tool-activity.ts';
import {
  countAt,
  fieldAt,
  flagAt,
  numberAt,
  objectAt,
  readObject,
  textAt,
  type Json,
} from '../../../core/json/fields.ts';
import type { AgentEvent } from '../../../ports/agent.ts';
import { boundedError, boundedFinal, boundedName, nothingSeen, type Seen } from '../cli-agent.ts';

export type OpencodeError = {
  readonly name: string;
  readonly message: string;
  readonly status: number | null;
  /** The same request may be answered another time. */
  readonly isRetryable: boolean;
  readonly body: string;
  readonly retryAfter: string;
  /** The date of the answer, which dates within it are measured from. */
  readonly date: string;
};

export type OpencodeState = Seen & {
  /** Why the latest step ended; null while none has. */
  readonly reason: string | null;
  /** A tool the user's settings refuse, with nothing else done since. */
  readonly denied: string | null;
  readonly error: OpencodeError | null;
};

export const opencodeStart: OpencodeState = {
  ...nothingSeen,
  reason: null,
  denied: null,
  error: null,
};

type Step = { readonly state: OpencodeState; readonly events: readonly AgentEvent[] };

export function parseOpencode(line: string, before: OpencodeState): Step {
  const event = readObject(line);
  const part = objectAt(event, 'part');
  const session = boundedName(textAt(event, 'sessionID'));
  const state = session === null ? before : { ...before, sessionId: session };
  switch (textAt(event, 'type')) {
    case 'step_start': {
      const turns = state.turns + 1;
      // What failed before was tried again.
      return {
        state: { ...state, turns, reason: null, error: null },
        events: [{ type: 'turn', turns }],
      };
    }
    case 'text': {
      const text = textAt(part, 'text');
      return {
        state: { ...state, finalText: boundedFinal(text) },
        events: [{ type: 'activity', activity: activityOf('saying', text) }],
      };
    }
    case 'reasoning': {
      const activity = activityOf('thinking', textAt(part, 'text'));
      return { state, events: [{ type: 'activity', activity }] };
    }
    case 'tool_use':
      return takeTool(part, state);
    case 'step_finish':
      return takeStep(part, state);
    case 'error':
      return { state: { ...state, error: errorOf(objectAt(event, 'error')) }, events: [] };
    default:
      return { state, events: [] };
  }
}

function takeTool(part: Json, state: OpencodeState): Step {
  const tool = textAt(part, 'tool');
  const call = objectAt(part, 'state');
  const isRefused =
    textAt(call, 'status') === 'error' && textAt(call, 'error').includes('rejected permission');
  return {
    state: { ...state, denied: isRefused ? tool : null },
    events: [{ type: 'activity', activity: toolActivity(tool, fieldAt(call, 'input')) }],
  };
}

function takeStep(part: Json, state: OpencodeState): Step {
  const tokens = addTokens(state.tokens, tokensOf(objectAt(part, 'tokens')));
  const cost = numberAt(part, 'cost');
  const costUsd = cost === null ? state.costUsd : (state.costUsd ?? 0) + cost;
  const reason = textAt(part, 'reason');
  const usage: AgentEvent = { type: 'usage', tokens, costUsd };
  const ending: readonly AgentEvent[] = [
    { type: 'activity', activity: finishedAfter(state.turns) },
    { type: 'result' },
  ];
  return {
    state: { ...state, tokens, costUsd, reason },
    events: [usage, ...(reason === 'stop' ? ending : [])],
  };
}

function tokensOf(told: Json): Tokens {
  const cache = objectAt(told, 'cache');
  return {
    input: countAt(told, 'input'),
    output: countAt(told, 'output') + countAt(told, 'reasoning'),
    cacheRead: countAt(cache, 'read'),
    cacheWrite: countAt(cache, 'write'),
  };
}

function errorOf(error: Json): OpencodeError {
  const data = objectAt(error, 'data');
  const headers = objectAt(data, 'responseHeaders');
  return {
    name: textAt(error, 'name').slice(0, 200),
    message: boundedError(textAt(data, 'message')),
    status: numberAt(data, 'statusCode'),
    isRetryable: flagAt(data, 'isRetryable'),
    body: boundedError(textAt(data, 'responseBody')),
    retryAfter: textAt(headers, 'retry-after').slice(0, 100),
    date: textAt(headers, 'date').slice(0, 100),
  };
}
