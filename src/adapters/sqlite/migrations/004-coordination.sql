-- One order over the events of all loops, for readers that follow everything. The counter outlives deleted loops: no
-- position is ever given twice.
alter table events add column position bigint not null default 0;
update events set position = rowid;
create unique index events_position on events (position);

create table counters (
  name text primary key,
  value bigint not null
);
insert into counters select 'event_position', coalesce(max(position), 0) from events;

-- What loops and people tell each other. Stored first, then the receiver is woken.
create table messages (
  id text primary key,
  -- Order of arrival; what one sender sends to one receiver is read in this order.
  sequence bigint not null unique,
  kind text not null,
  -- A loop, or `user`.
  sender text not null,
  receiver text not null references loops (id) on delete cascade,
  body text not null,
  -- Of an answer: the query.
  reply_to text,
  created_at bigint not null,
  acknowledged_at bigint
);
create index messages_unread on messages (receiver, sequence) where acknowledged_at is null;
create index messages_sent on messages (sender, created_at);
create index messages_answers on messages (reply_to) where reply_to is not null;
