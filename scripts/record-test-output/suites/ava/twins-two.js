import test from 'ava';

test('same', (t) => t.is('actual two', 'expected two'));
