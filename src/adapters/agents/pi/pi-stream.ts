/** Reads `pi --mode json`. */
import { addTokens, type Tokens } from '../../../core/agent/outcome.ts';
import {
  activityOf,
  finishedAfter,
  toolActivity,
  waitingForApi,
} from '../../../core/agent/tool-activity.ts';
import {
  countAt,
  fieldAt,
  listAt,
  numberAt,
  objectAt,
  readObject,
  textAt,
  type Json,
} from '../../../core/json/fields.ts';
import type { AgentEvent } from '../../../ports/agent.ts';
import { boundedError, boundedFinal, boundedName, nothingSeen, type Seen } from '../cli-agent.ts';

export type PiState = Seen & {
  /** Why the latest message of the model ended; null before the first. */
  readonly stop: string | null;
  /** The same in the provider's word. */
  readonly rawStop: string;
  readonly error: string;
  /** How often the request of the latest message was asked again, and whether it is about to be once more. */
  readonly retries: number;
  readonly isRepeating: boolean;
  readonly isOver: boolean;
};

export const piStart: PiState = {
  ...nothingSeen,
  stop: null,
  rawStop: '',
  error: '',
  retries: 0,
  isRepeating: false,
  isOver: false,
};

type Step = { readonly state: PiState; readonly events: readonly AgentEvent[] };

export function parsePi(line: string, state: PiState): Step {
  const event = readObject(line);
  switch (textAt(event, 'type')) {
    case 'session':
      return { state: { ...state, sessionId: boundedName(textAt(event, 'id')) }, events: [] };
    case 'turn_start':
      return { state, events: [{ type: 'turn', turns: state.turns + 1 }] };
    case 'message_update':
      return { state, events: thoughtOf(objectAt(event, 'assistantMessageEvent')) };
    case 'message_end':
      return takeMessage(objectAt(event, 'message'), state);
    case 'tool_execution_start': {
      const activity = toolActivity(textAt(event, 'toolName'), fieldAt(event, 'args'));
      return { state, events: [{ type: 'activity', activity }] };
    }
    case 'auto_retry_start': {
      const retries = Math.max(1, countAt(event, 'attempt'));
      const delayMs = numberAt(event, 'delayMs');
      return {
        state: { ...state, retries, isRepeating: true },
        events: [
          { type: 'activity', activity: waitingForApi(retries, delayMs) },
          { type: 'retry', retries, waitMs: delayMs },
        ],
      };
    }
    case 'agent_end':
      return { state: { ...state, isOver: true }, events: [] };
    case 'agent_settled':
      return {
        state: { ...state, isOver: true },
        events: [{ type: 'activity', activity: finishedAfter(state.turns) }, { type: 'result' }],
      };
    default:
      return { state, events: [] };
  }
}

function thoughtOf(update: Json): readonly AgentEvent[] {
  if (textAt(update, 'type') !== 'thinking_start') return [];
  return [{ type: 'activity', activity: activityOf('thinking', '') }];
}

function takeMessage(message: Json, state: PiState): Step {
  if (textAt(message, 'role') !== 'assistant') return { state, events: [] };
  const used = objectAt(message, 'usage');
  const tokens = addTokens(state.tokens, tokensOf(used));
  const cost = numberAt(objectAt(used, 'cost'), 'total');
  const costUsd = cost === null ? state.costUsd : (state.costUsd ?? 0) + cost;
  const said = listAt(message, 'content')
    .map((block) => textAt(block, 'text'))
    .join('');
  const stop = textAt(message, 'stopReason');
  // A reply that failed is asked for again: the same turn.
  const turns = state.turns + (stop === 'error' ? 0 : 1);
  const model = boundedName(textAt(message, 'model')) ?? state.model;
  const next: PiState = {
    ...state,
    tokens,
    costUsd,
    turns,
    model,
    finalText: said === '' ? state.finalText : boundedFinal(said),
    stop,
    rawStop: textAt(message, 'rawStopReason'),
    error: boundedError(textAt(message, 'errorMessage')),
    retries: stop === 'error' ? state.retries : 0,
    isRepeating: false,
    isOver: false,
  };
  const saying: AgentEvent = { type: 'activity', activity: activityOf('saying', said) };
  return {
    state: next,
    events: [{ type: 'usage', tokens, costUsd, model }, ...(said === '' ? [] : [saying])],
  };
}

function tokensOf(usage: Json): Tokens {
  return {
    input: countAt(usage, 'input'),
    output: countAt(usage, 'output'),
    cacheRead: countAt(usage, 'cacheRead'),
    cacheWrite: countAt(usage, 'cacheWrite'),
  };
}
