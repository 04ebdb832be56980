/** Reads `gemini --output-format stream-json`. */
import type { Tokens } from '../../../core/agent/outcome.ts';
import { activityOf, finishedAfter, toolActivity } from '../../../core/agent/tool-activity.ts';
import {
  countAt,
  fieldAt,
  objectAt,
  readObject,
  textAt,
  type Json,
} from '../../../core/json/fields.ts';
import type { AgentEvent } from '../../../ports/agent.ts';
import { boundedError, boundedFinal, boundedName, nothingSeen, type Seen } from '../cli-agent.ts';

export type GeminiState = Seen & {
  /** Whether a tool was called since the model's last reply began: several calls are one turn. */
  readonly isCalling: boolean;
  /** The last complaint on its way. */
  readonly complaint: string;
  readonly result: {
    readonly status: string;
    readonly type: string;
    readonly message: string;
  } | null;
};

export const geminiStart: GeminiState = {
  ...nothingSeen,
  isCalling: false,
  complaint: '',
  result: null,
};

type Step = { readonly state: GeminiState; readonly events: readonly AgentEvent[] };

export function parseGemini(line: string, state: GeminiState): Step {
  const event = readObject(line);
  switch (textAt(event, 'type')) {
    case 'init':
      return {
        state: {
          ...state,
          sessionId: boundedName(textAt(event, 'session_id')),
          model: boundedName(textAt(event, 'model')),
        },
        events: [],
      };
    case 'message':
      if (textAt(event, 'role') !== 'assistant') return { state, events: [] };
      return { state: withWords(state, textAt(event, 'content')), events: [] };
    case 'tool_use':
      return takeCall(textAt(event, 'tool_name'), fieldAt(event, 'parameters'), state);
    case 'tool_result':
      // The reply to it begins a new message.
      return { state: { ...state, isCalling: false, finalText: '' }, events: [] };
    case 'error':
      return {
        state: { ...state, complaint: boundedError(textAt(event, 'message')) },
        events: [],
      };
    case 'result':
      return takeResult(event ?? {}, state);
    default:
      return { state, events: [] };
  }
}

const maxHeldChars = 512 * 1024;

/** Words come in small pieces; they are cut only now and then, so that long messages cost linear time. */
function withWords(state: GeminiState, words: string): GeminiState {
  const text = state.finalText + words;
  return { ...state, finalText: text.length > maxHeldChars ? boundedFinal(text) : text };
}

function takeCall(tool: string, input: unknown, state: GeminiState): Step {
  const turns = state.turns + (state.isCalling ? 0 : 1);
  const events: AgentEvent[] = [];
  if (!state.isCalling) events.push({ type: 'turn', turns }, ...sayingOf(state));
  events.push({ type: 'activity', activity: toolActivity(tool, input) });
  return { state: { ...state, turns, isCalling: true }, events };
}

function sayingOf({ finalText }: GeminiState): readonly AgentEvent[] {
  if (finalText.trim() === '') return [];
  return [{ type: 'activity', activity: activityOf('saying', finalText) }];
}

function takeResult(event: Json, state: GeminiState): Step {
  const tokens = tokensOf(objectAt(event, 'stats'));
  const error = objectAt(event, 'error');
  const turns = state.turns + (state.finalText.trim() === '' ? 0 : 1);
  const result = {
    status: textAt(event, 'status'),
    type: textAt(error, 'type'),
    message: boundedError(textAt(error, 'message')),
  };
  return {
    state: { ...state, tokens, turns, result },
    events: [
      ...sayingOf(state),
      { type: 'usage', tokens, costUsd: null, model: state.model },
      { type: 'activity', activity: finishedAfter(turns) },
      { type: 'result' },
    ],
  };
}

/** Thoughts are paid for as output and told only as part of the total. */
function tokensOf(stats: Json): Tokens {
  const all = countAt(stats, 'input_tokens');
  const cacheRead = countAt(stats, 'cached');
  const output = Math.max(countAt(stats, 'output_tokens'), countAt(stats, 'total_tokens') - all);
  return { input: Math.max(0, all - cacheRead), output, cacheRead, cacheWrite: 0 };
}
