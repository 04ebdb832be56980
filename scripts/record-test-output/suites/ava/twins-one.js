import test from 'ava';

test('same', (t) => t.is('actual one', 'expected one'));
