use Test::More tests => 4;
ok 1, 'one';
ok 1, 'two';
exit 3;
