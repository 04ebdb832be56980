-- Where the words of learnings stand. Made from the learnings, and kept with them in the same transactions.

create table learning_terms (
  id integer primary key,
  -- A word's stem, or a path behind a slash.
  term text not null unique,
  -- In how many learnings it stands, and in how many as part of a path.
  documents integer not null check (documents >= 0),
  path_documents integer not null check (path_documents >= 0)
);

create table learning_documents (
  id integer primary key,
  learning_id text not null unique references learnings (id) on delete cascade,
  length integer not null
);

-- The length is that of the learning: scoring needs it beside every posting, and a join costs more than a column.
create table learning_postings (
  term_id integer not null,
  document_id integer not null,
  text_count integer not null,
  path_count integer not null,
  length integer not null,
  primary key (term_id, document_id)
) without rowid;

-- One row: how many learnings there are, and the sum of their lengths.
create table learning_totals (
  id integer primary key check (id = 1),
  documents integer not null,
  length integer not null
);
insert into learning_totals values (1, 0, 0);
