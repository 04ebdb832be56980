import { suite, test } from 'uvu';
import * as assert from 'uvu/assert';

test('adds', () => assert.is(1 + 1, 2));
test.run();
const more = suite('more');
more('one', () => assert.ok(true));
more('two', () => assert.ok(true));
more.run();
