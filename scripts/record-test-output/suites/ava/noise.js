import test from 'ava';

test('prints a summary', (t) => {
  console.log('\n  ─\n\n  9 tests passed\n');
  console.log('  9 passing (3ms)\n');
  t.pass();
});
test('fails', (t) => t.is(1, 2));
