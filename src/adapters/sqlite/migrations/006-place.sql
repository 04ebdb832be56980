-- Where this store belongs: one row, written when a project is first opened, and when it is found elsewhere.
create table place (
  id integer primary key check (id = 1),
  store_id text not null,
  root text not null,
  inode text not null,
  machine text not null,
  -- JSON: every root that recorded paths can lie below, and folders of worktrees that are elsewhere now.
  roots text not null,
  folders text not null,
  origin text,
  since bigint not null
);

-- 1: of the project this one was copied from. Such a process is not ours to end.
alter table sessions add column elsewhere integer not null default 0;
