/**
 * What the native agent does after each reply of its model. A turn is one reply together with the tools it calls. The
 * state between two turns is all the agent remembers beside the messages themselves.
 */
import { totalTokens, type AgentOutcomeKind } from '../outcome.ts';
import { callsOf, textOf, type ModelReply, type ToolCall } from './message.ts';
import { isEditing, isExploring } from './tool.ts';

export type TurnState = {
  readonly turns: number;
  /** Exploring calls since the last edit. */
  readonly explored: number;
  readonly isNoticed: boolean;
  /** Replies in a row that were cut at the output limit. */
  readonly cuts: number;
  /** What those replies said so far. */
  readonly text: string;
  /** What the last reply filled of the context. */
  readonly contextTokens: number;
};

export type TurnLimits = {
  readonly maxTurns: number;
  /** Tokens the model can take, if the user has said so: some servers cut what is longer and say nothing. */
  readonly maxContextTokens: number | null;
};

export type TurnEnd = {
  readonly kind: AgentOutcomeKind;
  readonly finalText: string;
  readonly evidence: string;
};

export type AfterReply =
  | { readonly kind: 'call'; readonly calls: readonly ToolCall[] }
  /** Ask again; the message is null when the model only paused. */
  | { readonly kind: 'continue'; readonly message: string | null }
  | { readonly kind: 'end'; readonly end: TurnEnd };

export type CallEnd = {
  readonly name: string;
  readonly isError: boolean;
  /** The final message of a `complete_task`; null for every other call. */
  readonly finalText: string | null;
};

export type AfterTools =
  | { readonly kind: 'ask'; readonly notice: string | null }
  | { readonly kind: 'end'; readonly end: TurnEnd };

export const newTurns: TurnState = {
  turns: 0,
  explored: 0,
  isNoticed: false,
  cuts: 0,
  text: '',
  contextTokens: 0,
};

const mostCuts = 3;
const exploringLimit = 5;
/** Beyond this share of the context there is no room for another turn. */
const fullAt = 0.95;

export const continueMessage =
  'Your reply was cut off at the output limit. Continue exactly where it stopped, without repeating anything. ' +
  'If you were about to call a tool, call it again, with smaller input if it was long.';

export const exploringNotice =
  `You have explored ${exploringLimit} times without an edit. If you know enough, make the change now; ` +
  'if not, look only for what is still missing.';

export function afterReply(
  state: TurnState,
  reply: ModelReply,
  limits: TurnLimits,
): { readonly state: TurnState; readonly next: AfterReply } {
  const turns = state.turns + 1;
  const text = state.text + textOf(reply);
  const calls = callsOf(reply);
  const contextTokens = reply.tokens === null ? state.contextTokens : totalTokens(reply.tokens);
  const plain = { ...state, turns, cuts: 0, text: '', contextTokens };
  const stop = stopBefore(plain, limits);
  const end = (kind: AgentOutcomeKind, evidence: string) =>
    ({ state: plain, next: { kind: 'end', end: { kind, finalText: text, evidence } } }) as const;

  switch (reply.stop) {
    case 'refusal':
      return end('refused', `the model refused (${reply.stopWord})`);
    case 'window-full':
      return end('context_full', `the context window is full (${reply.stopWord})`);
    case 'output-limit': {
      const cuts = state.cuts + 1;
      if (cuts > mostCuts)
        return end('max_tokens', `cut at the output limit ${cuts} times in a row`);
      if (stop !== null) return end(stop.kind, stop.evidence);
      const next = { kind: 'continue', message: continueMessage } as const;
      return { state: { ...plain, cuts, text }, next };
    }
    case 'pause':
      if (stop !== null) return end(stop.kind, stop.evidence);
      return { state: { ...plain, text }, next: { kind: 'continue', message: null } };
    case 'end':
    case 'calls':
    case 'unknown':
      if (calls.length > 0) return { state: plain, next: { kind: 'call', calls } };
      return end('done', `the model stopped (${reply.stopWord})`);
  }
}

/** `said` is the text of the reply that made these calls. */
export function afterTools(
  state: TurnState,
  calls: readonly CallEnd[],
  said: string,
  limits: TurnLimits,
): { readonly state: TurnState; readonly next: AfterTools } {
  const completed = calls.find(({ finalText, isError }) => finalText !== null && !isError);
  if (completed?.finalText != null) {
    const evidence = 'complete_task was called';
    const finalText = [completed.finalText, said].filter((text) => text !== '').join('\n\n');
    const end = { kind: 'done', finalText, evidence } as const;
    return { state, next: { kind: 'end', end } };
  }
  const stop = stopBefore(state, limits);
  if (stop !== null) return { state, next: { kind: 'end', end: { ...stop, finalText: '' } } };
  const explored = calls.reduce(countExploring, state.explored);
  const isDue = explored >= exploringLimit && !state.isNoticed;
  return {
    state: { ...state, explored, isNoticed: state.isNoticed || isDue },
    next: { kind: 'ask', notice: isDue ? exploringNotice : null },
  };
}

function countExploring(explored: number, { name, isError }: CallEnd): number {
  if (isEditing(name) && !isError) return 0;
  return isExploring(name) ? explored + 1 : explored;
}

/** Why there can be no further turn; null when there can. */
function stopBefore(
  { turns, contextTokens }: TurnState,
  { maxTurns, maxContextTokens }: TurnLimits,
): Pick<TurnEnd, 'kind' | 'evidence'> | null {
  if (turns >= maxTurns) {
    return { kind: 'max_turns', evidence: `the limit of ${maxTurns} turns is reached` };
  }
  if (maxContextTokens === null || contextTokens < fullAt * maxContextTokens) return null;
  const evidence = `${contextTokens} of ${maxContextTokens} tokens of the context are used`;
  return { kind: 'context_full', evidence };
}
