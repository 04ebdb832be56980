import test from 'ava';
import { nothing } from './does-not-exist.js';

test('never runs', (t) => t.is(nothing, 1));
