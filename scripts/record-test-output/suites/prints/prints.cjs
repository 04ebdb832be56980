// Tests that print what another runner would: `PRINTS` names a file of `printed`, `RED` lets one fail.
const assert = require('node:assert');
const { readFileSync } = require('node:fs');

const say = () => console.log(readFileSync(`printed/${process.env.PRINTS}.txt`, 'utf8'));

describe('math', () => {
  it('adds', () => assert.equal(1 + 1, 2));
  it('prints', () => say());
  describe('inner', () => {
    it('breaks', () => {
      if (process.env.RED !== '1') return;
      say();
      assert.equal(1, 2);
    });
    it.skip('later', () => {});
  });
});
it('last one', () => {});
