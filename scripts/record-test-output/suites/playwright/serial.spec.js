import { expect, test } from '@playwright/test';

test.describe.configure({ mode: 'serial' });
test('first', () => expect(1).toBe(1));
test('second fails', () => expect(1).toBe(2));
test('third does not run', () => expect(1).toBe(1));
