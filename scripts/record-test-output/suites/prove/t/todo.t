use Test::More tests => 4;
ok 1, 'one';
TODO: {
    local $TODO = 'later';
    ok 0, 'fails';
    ok 1, 'passes';
}
SKIP: { skip 'no database', 1; }
