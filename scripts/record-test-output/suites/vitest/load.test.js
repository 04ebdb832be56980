import { nothing } from './does-not-exist.js';
import { it } from 'vitest';

it('never runs', () => nothing());
