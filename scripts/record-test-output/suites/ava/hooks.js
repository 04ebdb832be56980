import test from 'ava';

test.before(() => {
  throw new Error('setup broke');
});
test('one', (t) => t.pass());
test('two', (t) => t.pass());
