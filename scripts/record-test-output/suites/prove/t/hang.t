use Test::More tests => 2;
$| = 1;
ok(1, "first");
sleep 60;
ok(1, "second");
