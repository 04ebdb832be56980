import assert from 'node:assert';
import { describe, it } from 'node:test';

describe('group', () => {
  it('one', () => assert.ok(true));
  it('two', () => assert.ok(true));
});
