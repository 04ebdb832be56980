import { isLoopwrightError, LoopwrightError } from '../core/error.ts';
import { messageLimits, overLimit } from '../core/coordinate/limits.ts';
import { userSender, type Message, type MessageKind } from '../core/coordinate/message.ts';
import { parseSelector } from '../core/coordinate/selector.ts';
import type { StoreTx } from '../ports/store.ts';
import type { Engine } from './engine.ts';
import { selectLoops } from './select-loops.ts';

export type MessageInput = {
  /** Sending the same id again changes nothing and answers with what was stored. */
  readonly id?: string;
  readonly kind: MessageKind;
  /** A loop; null: a person. */
  readonly sender: string | null;
  /** A loop or a selector. */
  readonly to: string;
  readonly body: string;
};

export type Sent = {
  readonly sent: readonly Message[];
  /** Receivers that could not take it, when others could. */
  readonly refused: readonly LoopwrightError[];
};

/**
 * Stores a message for every loop it is meant for, then wakes them: what was answered with success survives any crash. Throws
 * when not one receiver could take it.
 */
export async function sendMessage(engine: Engine, input: MessageInput): Promise<Sent> {
  const selector = parseSelector(input.to);
  const id = input.id ?? `m-${engine.ids.token().slice(0, 16)}`;
  const result = await engine.store.write(async (tx) => {
    await requireSender(tx, input.sender);
    const receivers = (await selectLoops(tx, selector, input.sender)).filter(
      (loop) => loop.id !== input.sender,
    );
    if (receivers.length === 0) throw nobody(input.to);
    const sent: Message[] = [];
    const refused: LoopwrightError[] = [];
    for (const { id: receiver } of receivers) {
      // Each receiver acknowledges its own copy.
      const copyId = receivers.length === 1 ? id : `${id}:${receiver}`;
      const stored = await store(engine, tx, { ...input, id: copyId }, receiver);
      if (isLoopwrightError(stored)) refused.push(stored);
      else sent.push(stored);
    }
    const [first] = refused;
    if (sent.length === 0 && first !== undefined) throw first;
    return { sent, refused };
  });
  for (const { receiver } of result.sent) await engine.wakeups.wake(receiver);
  return result;
}

async function requireSender(tx: StoreTx, sender: string | null): Promise<void> {
  if (sender === null || (await tx.loops.get(sender)) !== null) return;
  throw new LoopwrightError('message.sender', `there is no loop ${sender.slice(0, 64)} to send it`);
}

async function store(
  engine: Engine,
  tx: StoreTx,
  input: MessageInput & { readonly id: string },
  receiver: string,
): Promise<Message | LoopwrightError> {
  const now = engine.clock.now();
  const sender = input.sender ?? userSender;
  const known = await tx.messages.get(input.id);
  if (known !== null) return known;
  const refusal = overLimit(receiver, {
    bytes: new TextEncoder().encode(input.body).length,
    sentLately: await tx.messages.countSent(sender, now - 1000, now),
    unread: (await tx.messages.countUnread(receiver)) + (await countUntold(tx, receiver)),
  });
  if (refusal !== null) return refusal;
  if (input.kind === 'query' && (await isAskedBack(tx, sender, receiver, now))) {
    return new LoopwrightError(
      'message.mutual_wait',
      `${receiver} waits for an answer of ${sender}: both would wait for each other`,
      { hint: `answer its query first, or ask again in ${messageLimits.queryMs / 1000} s` },
    );
  }
  const { id, kind, body } = input;
  await tx.messages.add({ id, kind, sender, receiver, body, replyTo: null, createdAt: now });
  const stored = await tx.messages.get(id);
  if (stored !== null) return stored;
  throw new LoopwrightError('internal', `the message ${id} was not stored`);
}

/** What the receiver has read and no prompt of it has told. */
async function countUntold(tx: StoreTx, receiver: string): Promise<number> {
  return (await tx.loops.get(receiver))?.shared?.length ?? 0;
}

/** Whether the receiver waits, itself or through others, for an answer of the sender. */
async function isAskedBack(
  tx: StoreTx,
  sender: string,
  receiver: string,
  now: number,
): Promise<boolean> {
  const seen = new Set<string>();
  const open = [sender];
  for (let waited = open.pop(); waited !== undefined; waited = open.pop()) {
    if (seen.has(waited)) continue;
    seen.add(waited);
    for (const message of await tx.messages.unread(waited, messageLimits.maxUnread)) {
      if (message.kind !== 'query' || Math.abs(now - message.createdAt) > messageLimits.queryMs)
        continue;
      if (message.sender === receiver) return true;
      open.push(message.sender);
    }
  }
  return false;
}

function nobody(to: string): LoopwrightError {
  return new LoopwrightError('message.nobody', `no open loop is meant by “${to.slice(0, 60)}”`, {
    hint: 'list them with `loopwright loop list`',
  });
}
