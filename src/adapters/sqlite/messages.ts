import type { Message } from '../../core/coordinate/message.ts';
import type { MessageFilter, Messages, NewMessage } from '../../ports/store.ts';
import type { Db, MessagesTable } from './schema.ts';
import { inserted, sql, type Sql } from './sql.ts';

const columns = sql`id, sequence, kind, sender, receiver, body, reply_to as "replyTo",
  created_at as "createdAt", acknowledged_at as "acknowledgedAt"`;

/** Messages over one transaction. */
export function createMessages(db: Db): Messages {
  return {
    add: (message) => addMessage(db, message),

    async get(id) {
      return (await db.first(selectMessages(sql`id = ${id}`))) ?? null;
    },

    unread: (receiver, limit) =>
      db.all(
        selectMessages(
          sql`receiver = ${receiver} and acknowledged_at is null order by sequence limit ${limit}`,
        ),
      ),

    async countUnread(receiver) {
      return countMessages(db, sql`receiver = ${receiver} and acknowledged_at is null`);
    },

    async countSent(sender, since, until) {
      const between = sql`created_at > ${since} and created_at <= ${until}`;
      return countMessages(db, sql`sender = ${sender} and ${between}`);
    },

    async acknowledge(id, now) {
      await db.run(sql`
        update messages set acknowledged_at = ${now} where id = ${id} and acknowledged_at is null`);
    },

    async acknowledgeAll(receiver, kind, now) {
      await db.run(sql`
        update messages set acknowledged_at = ${now}
        where receiver = ${receiver} and kind = ${kind} and acknowledged_at is null`);
    },

    async receiversOf(kind) {
      const rows = await db.all(
        sql<Pick<MessagesTable, 'receiver'>>`
          select receiver from messages where kind = ${kind} and acknowledged_at is null
          group by receiver order by min(sequence)`,
      );
      return rows.map(({ receiver }) => receiver);
    },

    async answerTo(id) {
      return (await db.first(selectMessages(sql`reply_to = ${id}`))) ?? null;
    },

    list: (filter) => listMessages(db, filter),
  };
}

function selectMessages(where: Sql): Sql<Message> {
  return sql`select ${columns} from messages where ${where}`;
}

async function countMessages(db: Db, where: Sql): Promise<number> {
  const { count } = await db.one(
    sql<{ count: number }>`select count(*) as count from messages where ${where}`,
  );
  return count;
}

async function addMessage(db: Db, message: NewMessage): Promise<boolean> {
  const row = inserted<MessagesTable>({
    id: message.id,
    sequence: sql`(select coalesce(max(sequence), 0) + 1 from messages)`,
    kind: message.kind,
    sender: message.sender,
    receiver: message.receiver,
    body: message.body,
    reply_to: message.replyTo,
    created_at: message.createdAt,
    acknowledged_at: null,
  });
  return (await db.run(sql`insert into messages ${row} on conflict (id) do nothing`)) === 1;
}

async function listMessages(db: Db, filter: MessageFilter): Promise<readonly Message[]> {
  const { loopId, limit } = filter;
  const concerned =
    loopId === undefined ? sql`1 = 1` : sql`(sender = ${loopId} or receiver = ${loopId})`;
  return db.all(selectMessages(sql`${concerned} order by sequence desc limit ${limit}`));
}
