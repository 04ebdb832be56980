-- A store whose index was written by the first rule: the whole of a split name was no stem.
insert into learnings (id, origin, category, content, relevance_tags, paths, created_at, status, helpful, harmful, by_hand)
values
  ('l-old', 'agent', 'pitfall', 'SQLite waits for its busy timeout', '[]', '[]', '2026-01-01T00:00:00.000Z', 'active', 0, 0, 0),
  ('l-gone', 'agent', 'pitfall', 'SQLite is pruned', '[]', '[]', '2026-01-01T00:00:00.000Z', 'pruned', 0, 0, 0);
insert into learning_documents values (1, 'l-old', 6);
insert into learning_terms values
  (1, 'sq', 1, 0), (2, 'lite', 1, 0), (3, 'sqlite', 1, 0), (4, 'wait', 1, 0), (5, 'busi', 1, 0), (6, 'timeout', 1, 0);
insert into learning_postings values
  (1, 1, 1, 0, 6), (2, 1, 1, 0, 6), (3, 1, 1, 0, 6), (4, 1, 1, 0, 6), (5, 1, 1, 0, 6), (6, 1, 1, 0, 6);
update learning_totals set documents = 1, length = 6, rule = 0;
