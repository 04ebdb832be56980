import { nothing } from './does-not-exist.js';
import { test } from 'bun:test';

test('never runs', () => nothing());
