import type { LoopEvent } from '../loop/event.ts';
import { countChars, headChars } from '../text/code-points.ts';
import type { Message } from './message.ts';
import { decodeAnswer } from './spoken-answer.ts';

/** Answers of the engine may be longer; senders are refused before. */
const maxChars = 4000;

/** What becomes true of a loop when it reads these messages. */
export function factsInMessages(unread: readonly Message[]): readonly LoopEvent[] {
  const told = unread.filter(({ kind }) => kind !== 'approve' && kind !== 'reject');
  const messages = told.map(({ id, kind, sender, body }) => {
    const chars = countChars(body);
    const head = { id, kind, from: sender, text: headChars(body, maxChars) };
    return chars <= maxChars ? head : { ...head, chars };
  });
  return [
    ...(messages.length === 0 ? [] : [{ type: 'messages.received', messages } as const]),
    ...unread.flatMap(factIn),
  ];
}

/** What a message makes true of the loop by itself. */
function factIn({ kind, body }: Message): readonly LoopEvent[] {
  if (kind === 'clear-progress') return [{ type: 'progress.cleared' }];
  if (kind !== 'approve' && kind !== 'reject') return [];
  const { by, text } = decodeAnswer(body);
  return kind === 'approve'
    ? [{ type: 'approval.given', by, note: text }]
    : [{ type: 'approval.refused', by, reason: text }];
}
