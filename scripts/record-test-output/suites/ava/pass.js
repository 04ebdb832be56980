import test from 'ava';

test('adds', (t) => t.is(1 + 1, 2));
test('list', (t) => t.deepEqual([], []));
