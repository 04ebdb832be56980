const assert = require('assert');

describe('group', () => {
  it('one', () => assert.ok(true));
  it('two', () => assert.ok(true));
});
