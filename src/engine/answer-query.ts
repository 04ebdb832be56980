import { factsAbout } from '../core/coordinate/answer.ts';
import { userSender, type Message } from '../core/coordinate/message.ts';
import { LoopwrightError } from '../core/error.ts';
import type { Engine } from './engine.ts';
import { sendMessage, type MessageInput } from './send-message.ts';

export type Answer = { readonly from: string; readonly text: string };

/**
 * Asks loops and answers from what is stored about them: nobody has to wait for an iteration to end. The question is stored
 * first, so that it is answered at the loop's next boundary if this process is killed in between.
 */
export async function queryLoops(
  engine: Engine,
  input: Omit<MessageInput, 'kind'>,
): Promise<readonly Answer[]> {
  const { sent } = await sendMessage(engine, { ...input, kind: 'query' });
  const answers: Answer[] = [];
  for (const query of sent) {
    answers.push(await answerQuery(engine, query));
    await engine.store.write(async (tx) => {
      const now = engine.clock.now();
      await tx.messages.acknowledge(query.id, now);
      // The one who asked holds the answer already.
      await tx.messages.acknowledge(answerId(query), now);
    });
  }
  return answers;
}

/** Stores the answer for the loop that asked; a person gets it only as the result of the command. */
export async function answerQuery(engine: Engine, query: Message): Promise<Answer> {
  const { receiver, sender } = query;
  const { loop, messages } = await engine.store.read(async (tx) => ({
    loop: await tx.loops.get(receiver),
    messages: await tx.messages.list({ loopId: receiver, limit: 200 }),
  }));
  if (loop === null) throw new LoopwrightError('loop.not_found', `there is no loop ${receiver}`);
  const text = factsAbout(loop, messages);
  if (sender !== userSender) {
    await engine.store.write(async (tx) => {
      if ((await tx.loops.get(sender)) === null) return;
      await tx.messages.add({
        id: answerId(query),
        kind: 'answer',
        sender: receiver,
        receiver: sender,
        body: text,
        replyTo: query.id,
        createdAt: engine.clock.now(),
      });
    });
  }
  return { from: receiver, text };
}

function answerId(query: Pick<Message, 'id'>): string {
  return `${query.id}:answer`;
}
