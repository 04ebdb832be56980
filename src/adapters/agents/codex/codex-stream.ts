/** Reads `codex exec --json`. */
import type { Tokens } from '../../../core/agent/outcome.ts';
import {
  activityOf,
  finishedAfter,
  toolActivity,
  waitingForApi,
} from '../../../core/agent/tool-activity.ts';
import {
  countAt,
  listAt,
  numberAt,
  objectAt,
  readObject,
  textAt,
  type Json,
} from '../../../core/json/fields.ts';
import type { AgentEvent } from '../../../ports/agent.ts';
import {
  boundedError,
  boundedFinal,
  boundedName,
  nothingSeen,
  percentOf,
  type Seen,
} from '../cli-agent.ts';

export type CodexState = Seen & {
  /** What kind of thing came last: a message ends a turn that went well. */
  readonly lastItem: string | null;
  /** A tool was declined, with nothing else done since. */
  readonly declined: boolean;
  readonly end: 'completed' | 'failed' | null;
  /** Of the turn, or of the program before its first turn. */
  readonly error: string | null;
  /** What the thread had used before this run, which went on with it; null: it began with this run. */
  readonly before: Tokens | null;
  /** A request failed and was asked again, so often in a row, for this reason. */
  readonly retry: { readonly count: number; readonly why: string } | null;
};

export const codexStart: CodexState = {
  ...nothingSeen,
  lastItem: null,
  declined: false,
  end: null,
  error: null,
  before: null,
  retry: null,
};

type Step = { readonly state: CodexState; readonly events: readonly AgentEvent[] };

export function parseCodex(line: string, state: CodexState): Step {
  const event = readObject(line);
  switch (textAt(event, 'type')) {
    case 'thread.started':
      return {
        state: { ...state, sessionId: boundedName(textAt(event, 'thread_id')) },
        events: [],
      };
    case 'item.started':
      return startItem(objectAt(event, 'item'), state);
    case 'item.completed':
      return completeItem(objectAt(event, 'item'), state);
    case 'error':
      return takeError(textAt(event, 'message'), state);
    case 'turn.completed': {
      // The figures are sums of the thread.
      const tokens = since(state.before, tokensOf(objectAt(event, 'usage')));
      return endTurn({ ...state, tokens, end: 'completed' }, [
        { type: 'usage', tokens, costUsd: null },
      ]);
    }
    case 'turn.failed': {
      const error = boundedError(textAt(objectAt(event, 'error'), 'message'));
      return endTurn({ ...state, error, end: 'failed' }, []);
    }
    default:
      return { state, events: [] };
  }
}

/** Every tool belongs to a reply of the model of its own, so tools are what turns are counted by. */
function startItem(item: Json, state: CodexState): Step {
  const activity = itemActivity(item);
  if (activity === null) return { state, events: [] };
  const turns = state.turns + 1;
  return {
    state: { ...state, turns, lastItem: textAt(item, 'type'), retry: null },
    events: [
      { type: 'turn', turns },
      { type: 'activity', activity },
    ],
  };
}

function completeItem(item: Json, state: CodexState): Step {
  switch (textAt(item, 'type')) {
    case 'agent_message': {
      const text = textAt(item, 'text');
      return {
        state: { ...state, lastItem: 'agent_message', finalText: boundedFinal(text), retry: null },
        events: [{ type: 'activity', activity: activityOf('saying', text) }],
      };
    }
    case 'reasoning': {
      const activity = activityOf('thinking', textAt(item, 'text'));
      return { state, events: [{ type: 'activity', activity }] };
    }
    case 'command_execution':
    case 'file_change':
      return { state: { ...state, declined: textAt(item, 'status') === 'declined' }, events: [] };
    default:
      return { state, events: [] };
  }
}

function itemActivity(item: Json) {
  switch (textAt(item, 'type')) {
    case 'command_execution':
      return activityOf('running', withoutShell(textAt(item, 'command')));
    case 'file_change': {
      const paths = listAt(item, 'changes').map((change) => textAt(change, 'path'));
      return activityOf('editing', paths.join(', '));
    }
    case 'mcp_tool_call':
      return toolActivity(textAt(item, 'tool'), objectAt(item, 'arguments'));
    case 'web_search':
      return toolActivity('web_search', item);
    default:
      return null;
  }
}

/** `/bin/bash -lc 'npm test'` is `npm test` to everybody but the machine. */
function withoutShell(command: string): string {
  const inner = /^\S*sh -l?c (.*)$/s.exec(command)?.[1];
  if (inner === undefined) return command;
  const quote = inner[0];
  const isQuoted = (quote === "'" || quote === '"') && inner.length > 1 && inner.endsWith(quote);
  return isQuoted ? inner.slice(1, -1) : inner;
}

const reconnecting =
  /^Reconnecting\.\.\. (?:(\d{1,3})\/\d{1,3}|waiting for network)(?: \((.*)\))?$/s;

/**
 * `Reconnecting... 2/5 (why)` announces another try, and `Reconnecting... waiting for network (why)` one of any number of them.
 * Anything else is told again when the turn fails.
 */
function takeError(message: string, state: CodexState): Step {
  const match = reconnecting.exec(message);
  if (match === null) return { state: { ...state, error: boundedError(message) }, events: [] };
  const [, attempt, why = ''] = match;
  const count = attempt === undefined ? (state.retry?.count ?? 0) + 1 : Number(attempt);
  const activity = waitingForApi(count, null);
  // Where no web socket can be opened it goes on without one.
  if (isOfSocket(why)) return { state, events: [{ type: 'activity', activity }] };
  return {
    state: { ...state, retry: { count, why: boundedError(why) } },
    events: [
      { type: 'activity', activity },
      { type: 'retry', retries: count, waitMs: null },
    ],
  };
}

function isOfSocket(why: string): boolean {
  const at = why.lastIndexOf(', url: ');
  return at !== -1 && /^wss?:/.test(why.slice(at + ', url: '.length));
}

function endTurn(state: CodexState, events: readonly AgentEvent[]): Step {
  const turns = state.turns + (state.lastItem === 'agent_message' ? 1 : 0);
  return {
    state: { ...state, turns },
    events: [...events, { type: 'activity', activity: finishedAfter(turns) }, { type: 'result' }],
  };
}

function since(before: Tokens | null, now: Tokens): Tokens {
  if (before === null) return now;
  return {
    input: Math.max(0, now.input - before.input),
    output: Math.max(0, now.output - before.output),
    cacheRead: Math.max(0, now.cacheRead - before.cacheRead),
    cacheWrite: Math.max(0, now.cacheWrite - before.cacheWrite),
  };
}

/** A line of the rollout file that says how much of the context the last request took. */
export function contextInRollout(line: string): number | null {
  if (!line.includes('"token_count"')) return null;
  const info = objectAt(objectAt(readObject(line), 'payload'), 'info');
  const used = countAt(objectAt(info, 'last_token_usage'), 'total_tokens');
  return percentOf(used, numberAt(info, 'model_context_window'));
}

function tokensOf(usage: Json): Tokens {
  const cacheRead = countAt(usage, 'cached_input_tokens');
  const cacheWrite = countAt(usage, 'cache_write_input_tokens');
  return {
    input: Math.max(0, countAt(usage, 'input_tokens') - cacheRead - cacheWrite),
    output: countAt(usage, 'output_tokens'),
    cacheRead,
    cacheWrite,
  };
}
