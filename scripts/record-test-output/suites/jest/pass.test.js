const assert = require('node:assert');

describe('group', () => {
  it('one', () => assert.ok(true));
  it('two', () => assert.ok(true));
});
