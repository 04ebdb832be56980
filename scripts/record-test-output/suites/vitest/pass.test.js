import assert from 'node:assert';
import { describe, it } from 'vitest';

describe('group', () => {
  it('one', () => assert.ok(true));
  it('two', () => assert.ok(true));
});
