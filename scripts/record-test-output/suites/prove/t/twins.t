use Test::More tests => 2;
is 1, 2, 'same';
is 3, 4, 'same';
