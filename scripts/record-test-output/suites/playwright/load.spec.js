import { nothing } from './does-not-exist.js';
import { test } from '@playwright/test';

test('never runs', () => nothing());
