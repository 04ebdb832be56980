import { expect, test } from 'vitest';
import { acceptanceCriteria } from '../../../src/core/task/acceptance.ts';

test('acceptance criteria are the boxes of a description, whatever their list looks like', () => {
  const description = [
    'Some text with [ ] in it.',
    '- [ ] works',
    '  * [x] is fast',
    '1. [X] is tested',
    '- no box',
    '- [ ]',
    '- [?] unsure',
  ].join('\r\n');
  expect(acceptanceCriteria(description)).toEqual([
    { text: 'works', checked: false },
    { text: 'is fast', checked: true },
    { text: 'is tested', checked: true },
  ]);
});

test('boxes in a block of code are examples, not criteria', () => {
  const description = '````\n- [ ] example\n```\n- [ ] still\n````\n- [ ] real';
  expect(acceptanceCriteria(description)).toEqual([{ text: 'real', checked: false }]);
});

test('a huge line is read in linear time', () => {
  const started = performance.now();
  acceptanceCriteria(`${' '.repeat(500_000)}- ${'[ ] '.repeat(200_000)}`);
  expect(performance.now() - started).toBeLessThan(2000);
});
