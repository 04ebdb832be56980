/** Reads `claude -p --output-format stream-json --verbose`, with or without partial messages. */
import { totalTokens, type Tokens } from '../../../core/agent/outcome.ts';
import { sane } from '../../../core/agent/retry-after.ts';
import {
  activityOf,
  finishedAfter,
  toolActivity,
  waitingForApi,
} from '../../../core/agent/tool-activity.ts';
import {
  countAt,
  fieldAt,
  flagAt,
  listAt,
  numberAt,
  objectAt,
  readObject,
  textAt,
  type Json,
} from '../../../core/json/fields.ts';
import type { AgentEvent } from '../../../ports/agent.ts';
import { boundedFinal, boundedName, nothingSeen, percentOf, type Seen } from '../cli-agent.ts';
import {
  messageTokens,
  noUsage,
  resultUsage,
  usedSoFar,
  withMessage,
  type UsageSoFar,
} from './claude-usage.ts';

export type ClaudeState = Seen & {
  readonly usage: UsageSoFar;
  /** The latest message of the main conversation, and what it filled of the context. */
  readonly message: { readonly id: string; readonly tokens: Tokens } | null;
  /** The program waits before it asks again, for the so-manieth time. */
  readonly retry: {
    readonly status: number | null;
    readonly delayMs: number;
  } | null;
  /** How often the latest request was asked again. */
  readonly retries: number;
  /** What the last failed message was called. */
  readonly error: string | null;
  /** Seconds of the epoch at which a used-up window begins anew. */
  readonly resetsAt: number | null;
  /** A tool that was refused, with nothing else done since. */
  readonly denied: string | null;
  readonly result: Result | null;
  /** It goes on with an earlier session: sums of the session are not of this run alone. */
  readonly isResumed: boolean;
};

export type Result = {
  readonly isError: boolean;
  readonly subtype: string;
  readonly reason: string;
  readonly stop: string;
  readonly apiError: string;
  readonly status: number | null;
  readonly text: string;
};

export const claudeStart: ClaudeState = {
  ...nothingSeen,
  usage: noUsage,
  message: null,
  retry: null,
  retries: 0,
  error: null,
  resetsAt: null,
  denied: null,
  result: null,
  isResumed: false,
};

type Step = { readonly state: ClaudeState; readonly events: readonly AgentEvent[] };

export function parseClaude(line: string, state: ClaudeState): Step {
  const event = readObject(line);
  const nothing: Step = { state, events: [] };
  if (event === null) return nothing;
  switch (textAt(event, 'type')) {
    case 'system':
      return takeSystem(event, state);
    case 'stream_event':
      return takePart(event, state);
    case 'assistant':
      return takeMessage(event, state);
    case 'user':
      return { state: takeToolResults(event, state), events: [] };
    case 'rate_limit_event': {
      const info = objectAt(event, 'rate_limit_info');
      if (textAt(info, 'status') !== 'rejected') return nothing;
      return { state: { ...state, resetsAt: numberAt(info, 'resetsAt') }, events: [] };
    }
    case 'result':
      return takeResult(event, state);
    default:
      return nothing;
  }
}

function takeSystem(event: Json, state: ClaudeState): Step {
  switch (textAt(event, 'subtype')) {
    case 'init':
      return {
        state: {
          ...state,
          sessionId: boundedName(textAt(event, 'session_id')),
          model: boundedName(textAt(event, 'model')),
        },
        events: [],
      };
    case 'permission_denied':
      return { state: { ...state, denied: textAt(event, 'tool_name') || 'a tool' }, events: [] };
    case 'api_retry':
      return takeRetry(event, state);
    default:
      return { state, events: [] };
  }
}

function takeRetry(event: Json, state: ClaudeState): Step {
  const delayMs = Math.max(0, numberAt(event, 'retry_delay_ms') ?? 0);
  const status = numberAt(event, 'error_status');
  const attempt = Math.max(1, countAt(event, 'attempt'));
  const error = boundedName(textAt(event, 'error'));
  return {
    state: { ...state, retry: { status, delayMs }, retries: attempt, error },
    events: [
      { type: 'activity', activity: waitingForApi(attempt, delayMs) },
      { type: 'retry', retries: attempt, waitMs: delayMs },
    ],
  };
}

/** Parts of a message in the making: its usage comes first and last. */
function takePart(line: Json, state: ClaudeState): Step {
  const event = objectAt(line, 'event');
  const id = textAt(line, 'api_message_id') || textAt(objectAt(event, 'message'), 'id');
  switch (textAt(event, 'type')) {
    case 'message_start':
      return withUsage(
        line,
        textAt(objectAt(event, 'message'), 'id'),
        objectAt(objectAt(event, 'message'), 'usage'),
        state,
      );
    case 'message_delta': {
      // The end of a message: what was asked again has been answered.
      const answered = { ...state, retries: 0 };
      return withUsage(line, id || (state.message?.id ?? ''), objectAt(event, 'usage'), answered);
    }
    case 'content_block_start': {
      const isThought = textAt(objectAt(event, 'content_block'), 'type') === 'thinking';
      const activity = activityOf('thinking', '');
      return { state, events: isThought ? [{ type: 'activity', activity }] : [] };
    }
    default:
      return { state, events: [] };
  }
}

function withUsage(line: Json, id: string, told: Json, state: ClaudeState): Step {
  if (id === '' || Object.keys(told).length === 0) return { state, events: [] };
  const usage = withMessage(state.usage, id, messageTokens(told));
  const total = usedSoFar(usage);
  const isMain = fieldAt(line, 'parent_tool_use_id') == null;
  const isNew = isMain && state.message?.id !== id;
  const turns = state.turns + (isNew ? 1 : 0);
  const events: AgentEvent[] = [];
  if (isNew) events.push({ type: 'turn', turns });
  events.push({ type: 'usage', tokens: total, costUsd: null, model: state.model });
  const message = isMain ? (usage.open.at(-1) ?? null) : state.message;
  return { state: { ...state, usage, message, turns, tokens: total, retry: null }, events };
}

/** The model name of messages the program makes up itself, to tell of its errors. */
const synthetic = '<synthetic>';

function takeMessage(line: Json, state: ClaudeState): Step {
  const message = objectAt(line, 'message');
  if (textAt(message, 'model') === synthetic) {
    return {
      state: { ...state, error: boundedName(textAt(line, 'error')) ?? state.error },
      events: [],
    };
  }
  const told = withUsage(line, textAt(message, 'id'), objectAt(message, 'usage'), state);
  const activities = listAt(message, 'content').flatMap(activitiesOf);
  const isMain = fieldAt(line, 'parent_tool_use_id') == null;
  const said = listAt(message, 'content')
    .map((block) => textAt(block, 'text'))
    .join('');
  const finalText = isMain && said !== '' ? boundedFinal(said) : told.state.finalText;
  return { state: { ...told.state, finalText }, events: [...told.events, ...activities] };
}

function activitiesOf(block: unknown): readonly AgentEvent[] {
  switch (textAt(block, 'type')) {
    case 'text':
      return [{ type: 'activity', activity: activityOf('saying', textAt(block, 'text')) }];
    case 'thinking':
      return [{ type: 'activity', activity: activityOf('thinking', textAt(block, 'thinking')) }];
    case 'tool_use':
      return [
        {
          type: 'activity',
          activity: toolActivity(textAt(block, 'name'), fieldAt(block, 'input')),
        },
      ];
    default:
      return [];
  }
}

/** A tool that worked after one that was refused: the refusal was not the end. */
function takeToolResults(line: Json, state: ClaudeState): ClaudeState {
  const results = listAt(objectAt(line, 'message'), 'content').filter(
    (block) => textAt(block, 'type') === 'tool_result',
  );
  const isWorking = results.some((block) => !flagAt(block, 'is_error'));
  return isWorking ? { ...state, denied: null } : state;
}

function takeResult(event: Json, state: ClaudeState): Step {
  const { tokens, costUsd, models, contextWindow } = resultUsage(event, state.isResumed);
  const text = textAt(event, 'result');
  const isError = flagAt(event, 'is_error');
  const filled = state.message === null ? 0 : totalTokens(state.message.tokens);
  const next: ClaudeState = {
    ...state,
    sessionId: boundedName(textAt(event, 'session_id')) ?? state.sessionId,
    tokens: tokens ?? state.tokens,
    costUsd,
    models,
    // The words of an error are the program's, not the agent's.
    finalText: isError ? state.finalText : boundedFinal(text),
    contextPercent: percentOf(filled, contextWindow),
    result: {
      isError,
      subtype: textAt(event, 'subtype'),
      reason: textAt(event, 'terminal_reason'),
      stop: textAt(event, 'stop_reason'),
      apiError: textAt(event, 'api_error'),
      status: numberAt(event, 'api_error_status'),
      text: text.slice(0, 500),
    },
  };
  return {
    state: next,
    events: [
      { type: 'usage', tokens: next.tokens, costUsd, model: state.model },
      { type: 'activity', activity: finishedAfter(state.turns) },
      { type: 'result' },
    ],
  };
}

/** Milliseconds the provider asked to wait. The program's own first wait is half a second and means nothing. */
export function askedWaitMs({ retry }: ClaudeState): number | null {
  return retry === null || retry.delayMs < 1000 ? null : sane(retry.delayMs);
}
