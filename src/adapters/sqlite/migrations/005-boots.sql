-- Leases are measured by a clock that nobody can set: milliseconds since the machine was started, counted on from
-- `epoch`, which is what the wall clock said at zero when the first process of that boot looked. `since` is the reading
-- of that moment: a smaller one belongs to another boot, also where the system does not name its boots.
create table boots (
  id text primary key,
  epoch bigint not null,
  since bigint not null
);
