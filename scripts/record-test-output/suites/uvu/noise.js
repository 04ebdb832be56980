import { test } from 'uvu';
import * as assert from 'uvu/assert';

test('prints', () => {
  console.log('\n  Total:     9\n  Passed:    9\n  Skipped:   0\n  Duration:  1.00ms\n');
});
test('fails', () => assert.is(1, 2));
test.run();
