import type { Message } from '../../core/coordinate/message.ts';
import { decodeAnswer } from '../../core/coordinate/spoken-answer.ts';
import type { LoopEvent } from '../../core/loop/event.ts';
import { countChars, headChars } from '../../core/text/code-points.ts';
import { answerQuery } from '../answer-query.ts';
import type { Engine } from '../engine.ts';
import type { LoopOwner } from '../loop-owner.ts';

const atOnce = 100;
/** Answers of the engine may be longer; senders are refused before. */
const maxChars = 4000;

/**
 * Reads what was sent to the loop. The fact and the acknowledgements are one transaction: a message is read once, however often
 * the owner is killed around it.
 */
export async function readMessages(engine: Engine, owner: LoopOwner): Promise<void> {
  const { id } = owner.loop;
  const unread = await engine.store.read((tx) => tx.messages.unread(id, atOnce));
  if (unread.length === 0) return;
  for (const message of unread) {
    // Whoever asked has gone before it was answered; a loop still finds the answer.
    if (message.kind === 'query') await answerQuery(engine, message);
    if (message.kind === 'rebase') owner.forgetBase();
  }
  const answers = unread.flatMap(factIn);
  const told = unread.filter(({ kind }) => kind !== 'approve' && kind !== 'reject');
  const messages = told.map(({ id: messageId, kind, sender, body }) => {
    const chars = countChars(body);
    const head = { id: messageId, kind, from: sender, text: headChars(body, maxChars) };
    return chars <= maxChars ? head : { ...head, chars };
  });
  await owner.recordWith(
    async (tx) => {
      const now = engine.clock.now();
      for (const message of unread) await tx.messages.acknowledge(message.id, now);
    },
    ...(messages.length === 0 ? [] : [{ type: 'messages.received', messages } as const]),
    ...answers,
  );
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
