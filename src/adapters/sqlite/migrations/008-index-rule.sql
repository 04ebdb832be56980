-- By which rule the words of learnings were made into terms. Another one than the program's: they are indexed anew.
alter table learning_totals add column rule integer not null default 0;
