import {
  textOf,
  type Message,
  type ModelReply,
  type UserBlock,
} from '../../../core/agent/native/message.ts';
import {
  afterReply,
  afterTools,
  newTurns,
  type TurnEnd,
  type TurnState,
} from '../../../core/agent/native/turn.ts';
import { askModel, type AskParts } from './ask-model.ts';
import { runCalls } from './run-calls.ts';
import type { Tool } from './tool/tool.ts';

export type Conversation = AskParts & {
  readonly system: string;
  readonly tools: readonly Tool[];
  readonly maxTurns: number;
  readonly maxContextTokens: number | null;
  /** Said to the model before its last turn; absent: nothing is. */
  readonly lastTurn?: string;
};

export type Ending = TurnEnd & {
  readonly turns: number;
  /** What the model said last, whatever came after. */
  readonly lastText: string;
  readonly retryAfterMs: number | null;
  readonly resetAtMs: number | null;
  readonly retries?: number;
  readonly fault?: 'request';
};

/** Asks, runs what is called, and asks again, until something ends it. Throws the signal's reason when aborted. */
export async function converse(
  talk: Conversation,
  prompt: string,
  signal: AbortSignal,
): Promise<Ending> {
  const { system, print, speaker } = talk;
  const tools = talk.tools.map(({ offer }) => offer);
  const messages: Message[] = [{ role: 'user', content: [{ type: 'text', text: prompt }] }];
  let state: TurnState = newTurns;
  let lastText = '';
  const ended = (end: TurnEnd): Ending => ({
    ...end,
    turns: state.turns,
    lastText,
    retryAfterMs: null,
    resetAtMs: null,
  });

  for (;;) {
    print({ type: 'turn', speaker, number: state.turns + 1 });
    const asked = await askModel(talk, { system, messages, tools }, signal);
    if (asked.kind === 'failed') {
      const { kind, message, retryAfterMs, resetAtMs } = asked.failure;
      const end = ended({ kind: asked.outcome, finalText: '', evidence: message });
      const fault = kind === 'invalid' ? ({ fault: 'request' } as const) : {};
      return { ...end, retryAfterMs, resetAtMs, retries: asked.retries, ...fault };
    }
    const { reply } = asked;
    lastText = textOf(reply) || lastText;
    const replied = afterReply(state, reply, talk);
    state = replied.state;
    if (replied.next.kind === 'end') return ended(replied.next.end);
    if (replied.next.kind === 'continue') {
      messages.push(...continuation(reply, replied.next.message));
      continue;
    }
    const called = await runCalls(talk, replied.next.calls, signal);
    const ends = called.map(({ end }) => end);
    const after = afterTools(state, ends, textOf(reply), talk);
    state = after.state;
    if (after.next.kind === 'end') return ended(after.next.end);
    const content: UserBlock[] = called.map(({ result }) => result);
    const isLast = state.turns === talk.maxTurns - 1;
    const notice = (isLast ? talk.lastTurn : undefined) ?? after.next.notice;
    if (notice !== null) {
      print({ type: 'notice', text: notice });
      content.push({ type: 'text', text: notice });
    }
    messages.push({ role: 'assistant', content: reply.content }, { role: 'user', content });
  }
}

/** What was cut off keeps its words, not its calls: a call may be incomplete, and none has run. */
function continuation(reply: ModelReply, message: string | null): readonly Message[] {
  if (message === null) return [{ role: 'assistant', content: reply.content }];
  const text = textOf(reply);
  const kept = text.trim() === '' ? '(cut off)' : text;
  return [
    { role: 'assistant', content: [{ type: 'text', text: kept }] },
    { role: 'user', content: [{ type: 'text', text: message }] },
  ];
}
