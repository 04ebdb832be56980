use strict; use warnings; use Test::More tests => 2;
ok(1 + 1 == 2, 'adds');
is_deeply([], [], 'reads');
