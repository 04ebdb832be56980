const { writeSync } = require('node:fs');

describe('reporter', () => {
  it('comes first', () => {});
  it('prints the summary of jest', () => {
    writeSync(1, 'Test Suites: 1 failed, 1 total\nTests:       2 failed, 5 passed, 7 total\n');
  });
  it('prints the summary of mocha', () => {
    writeSync(1, '  9 passing (3ms)\n\n');
  });
});
