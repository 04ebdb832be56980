use strict; use warnings; use Test::More;
ok(1, 'adds');
is(1, 2, 'compares');
SKIP: { skip 'not now', 2; ok(1); ok(1); }
TODO: { local $TODO = 'later'; ok(0, 'planned'); }
subtest 'deeper' => sub { ok(1, 'inner'); ok(0, 'inner fails'); done_testing; };
done_testing;
