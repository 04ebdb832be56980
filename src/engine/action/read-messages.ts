import { factsInMessages } from '../../core/coordinate/facts-in-messages.ts';
import { answerQuery } from '../answer-query.ts';
import type { Engine } from '../engine.ts';
import type { LoopOwner } from '../loop-owner.ts';

/** More are read before the iteration after. */
export const messagesAtOnce = 100;

/**
 * Reads what was sent to the loop. The fact and the acknowledgements are one transaction: a message is read once, however often
 * the owner is killed around it.
 */
export async function readMessages(engine: Engine, owner: LoopOwner): Promise<void> {
  const { id } = owner.loop;
  const unread = await engine.store.read((tx) => tx.messages.unread(id, messagesAtOnce));
  if (unread.length === 0) return;
  for (const message of unread) {
    // Whoever asked has gone before it was answered; a loop still finds the answer.
    if (message.kind === 'query') await answerQuery(engine, message);
    if (message.kind === 'rebase') owner.forgetBase();
  }
  await owner.recordWith(
    async (tx) => {
      const now = engine.clock.now();
      for (const message of unread) await tx.messages.acknowledge(message.id, now);
    },
    ...factsInMessages(unread),
  );
}
