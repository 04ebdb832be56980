-- Providers that do not answer, for every engine of the repository. Lease times, but for `since`, which is shown to people.
create table outages (
  provider text primary key,
  since bigint not null,
  give_up_at bigint not null,
  failures integer not null,
  next_at bigint not null,
  prober text,
  is_probing integer not null,
  why text not null
);
