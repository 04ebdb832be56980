import { nothing } from './does-not-exist.js';

Deno.test('never runs', () => nothing());
