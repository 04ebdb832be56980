import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTail } from '../../../src/adapters/process/tail.ts';

test('the tail is the end of what was pushed, however it was pushed', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'grapheme-ascii' })),
      fc.integer({ min: 1, max: 20 }),
      (parts, size) => {
        const tail = createTail(size);
        for (const part of parts) tail.push(Buffer.from(part));
        expect(tail.text()).toBe(parts.join('').slice(-size));
      },
    ),
  );
});

test('a character cut by the edge is left out', () => {
  const tail = createTail(4);
  tail.push(Buffer.from('a€b'));
  tail.push(Buffer.from('c'));
  expect(tail.text()).toBe('bc');
});

test('a tail of no bytes stays empty', () => {
  const tail = createTail(0);
  tail.push(Buffer.from('text'));
  expect(tail.text()).toBe('');
});
