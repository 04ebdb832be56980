use strict; use warnings; use Test::More tests => 3;
ok(1, 'first');
SKIP: { skip 'not now', 1; ok(1); }
TODO: { local $TODO = 'later'; ok(1, 'passes early'); }
