import { sql } from 'kysely';
import type { Message } from '../../core/coordinate/message.ts';
import type { MessageFilter, Messages, NewMessage } from '../../ports/store.ts';
import type { Db } from './schema.ts';

const columns = [
  'id',
  'sequence',
  'kind',
  'sender',
  'receiver',
  'body',
  'reply_to as replyTo',
  'created_at as createdAt',
  'acknowledged_at as acknowledgedAt',
] as const;

/** Messages over one transaction. */
export function createMessages(db: Db): Messages {
  return {
    add: (message) => addMessage(db, message),

    async get(id) {
      const query = db.selectFrom('messages').select(columns).where('id', '=', id);
      return (await query.executeTakeFirst()) ?? null;
    },

    unread: (receiver, limit) =>
      db
        .selectFrom('messages')
        .select(columns)
        .where('receiver', '=', receiver)
        .where('acknowledged_at', 'is', null)
        .orderBy('sequence')
        .limit(limit)
        .execute(),

    async countUnread(receiver) {
      const { count } = await db
        .selectFrom('messages')
        .select((expression) => expression.fn.countAll<number>().as('count'))
        .where('receiver', '=', receiver)
        .where('acknowledged_at', 'is', null)
        .executeTakeFirstOrThrow();
      return count;
    },

    async countSent(sender, since) {
      const { count } = await db
        .selectFrom('messages')
        .select((expression) => expression.fn.countAll<number>().as('count'))
        .where('sender', '=', sender)
        .where('created_at', '>', since)
        .executeTakeFirstOrThrow();
      return count;
    },

    async acknowledge(id, now) {
      await db
        .updateTable('messages')
        .set({ acknowledged_at: now })
        .where('id', '=', id)
        .where('acknowledged_at', 'is', null)
        .execute();
    },

    async acknowledgeAll(receiver, kind, now) {
      await db
        .updateTable('messages')
        .set({ acknowledged_at: now })
        .where('receiver', '=', receiver)
        .where('kind', '=', kind)
        .where('acknowledged_at', 'is', null)
        .execute();
    },

    async receiversOf(kind) {
      const rows = await db
        .selectFrom('messages')
        .select((expression) => ['receiver', expression.fn.min('sequence').as('first')])
        .where('kind', '=', kind)
        .where('acknowledged_at', 'is', null)
        .groupBy('receiver')
        .orderBy('first')
        .execute();
      return rows.map(({ receiver }) => receiver);
    },

    async answerTo(id) {
      const query = db.selectFrom('messages').select(columns).where('reply_to', '=', id);
      return (await query.executeTakeFirst()) ?? null;
    },

    list: (filter) => listMessages(db, filter),
  };
}

async function addMessage(db: Db, message: NewMessage): Promise<boolean> {
  const result = await db
    .insertInto('messages')
    .values({
      id: message.id,
      sequence: sql<number>`(select coalesce(max(sequence), 0) + 1 from messages)`,
      kind: message.kind,
      sender: message.sender,
      receiver: message.receiver,
      body: message.body,
      reply_to: message.replyTo,
      created_at: message.createdAt,
      acknowledged_at: null,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

async function listMessages(db: Db, filter: MessageFilter): Promise<readonly Message[]> {
  const { loopId } = filter;
  let query = db
    .selectFrom('messages')
    .select(columns)
    .orderBy('sequence', 'desc')
    .limit(filter.limit);
  if (loopId !== undefined) {
    query = query.where((expression) =>
      expression.or([expression('sender', '=', loopId), expression('receiver', '=', loopId)]),
    );
  }
  return query.execute();
}
