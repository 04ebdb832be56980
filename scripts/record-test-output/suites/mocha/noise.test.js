const assert = require('node:assert');
const { writeSync } = require('node:fs');

const jest = [
  'Test Suites: 1 passed, 1 total',
  'Tests:       5 passed, 5 total',
  'Snapshots:   0 total',
  'Time:        0.5 s',
  'Ran all test suites.',
];

describe('reporter', () => {
  it('prints the summary of pytest', () => {
    writeSync(1, '============ 9 passed in 0.01s ============\n');
  });
  it('compares', () => assert.equal(1, 2));
  it('prints the summary of jest', () => {
    writeSync(1, `${jest.join('\n')}\n`);
  });
  it.skip('is skipped', () => {});
  it('comes last', () => {});
});
