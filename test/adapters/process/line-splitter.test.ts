import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLineSplitter } from '../../../src/adapters/process/line-splitter.ts';

function split(chunks: readonly Buffer[], maxBytes?: number): string[] {
  const lines: string[] = [];
  const splitter = createLineSplitter((line) => lines.push(line), maxBytes);
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return lines;
}

function chunked(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  let start = 0;
  for (const size of sizes) {
    chunks.push(bytes.subarray(start, start + size));
    start += size;
  }
  chunks.push(bytes.subarray(start));
  return chunks;
}

/** Bytes with many newlines, returns and pieces of characters. */
const hostileBytes = fc
  .array(
    fc.oneof(
      fc.constantFrom('\n', '\r\n', '\r', '', '€', '🦊', '\u0000').map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes)),
    ),
    { maxLength: 40 },
  )
  .map((parts) => Buffer.concat(parts));

test('any chunking of any bytes gives the same lines', () => {
  fc.assert(
    fc.property(
      hostileBytes,
      fc.array(fc.nat(9)),
      fc.constantFrom(1, 3, 16, 1000),
      (bytes, sizes, maxBytes) => {
        expect(split(chunked(bytes, sizes), maxBytes)).toEqual(split([bytes], maxBytes));
      },
    ),
  );
});

test('short lines are exactly the text between newlines', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'grapheme' }).filter((s) => !/[\r\n]/.test(s))),
      (lines) => {
        expect(split([Buffer.from(lines.map((line) => `${line}\n`).join(''))])).toEqual(lines);
      },
    ),
  );
});

test('a line without its newline is a line, an empty rest is none', () => {
  expect(split([Buffer.from('a\nb')])).toEqual(['a', 'b']);
  expect(split([Buffer.from('a\n')])).toEqual(['a']);
  expect(split([Buffer.from('\n\n')])).toEqual(['', '']);
});

test('a character split across chunks stays whole and other bytes are replaced', () => {
  const fox = Buffer.from('🦊\n');
  expect(split([fox.subarray(0, 1), fox.subarray(1, 3), fox.subarray(3)])).toEqual(['🦊']);
  expect(split([Buffer.from([0x61, 0xff, 0x62, 0x0a])])).toEqual(['a\ufffdb']);
});

test('an over-long line is cut, says how much is missing, and does not disturb its neighbours', () => {
  const text = `short\n${'x'.repeat(25)}\nnext\n`;
  const expected = ['short', `${'x'.repeat(10)} … [15 bytes cut]`, 'next'];
  expect(split([Buffer.from(text)], 10)).toEqual(expected);
  expect(split(chunked(Buffer.from(text), Array(40).fill(1)), 10)).toEqual(expected);
});

test('lines above one megabyte are cut by default', () => {
  const [line] = split([Buffer.alloc(3_000_000, 'y')]);
  expect(line).toHaveLength(1024 * 1024 + ' … [1951424 bytes cut]'.length);
});

test('of a flood only whole lines are handed on, in their order, and always the last one', () => {
  const anyLines = fc.array(
    fc.string({ maxLength: 40 }).map((text) => text.replaceAll(/[\r\n]/g, '.')),
    {
      minLength: 1,
      maxLength: 30,
    },
  );
  fc.assert(
    fc.property(anyLines, fc.nat(20_000), fc.array(fc.nat(40_000)), (texts, padding, sizes) => {
      const numbered = texts.map((text, index) => `${index} ${'x'.repeat(padding)}${text}`);
      const latest: string[] = [];
      const splitter = createLineSplitter((line) => latest.push(line), undefined, 'latest');
      for (const chunk of chunked(Buffer.from(`${numbered.join('\n')}\n`), sizes)) {
        splitter.push(chunk);
      }
      splitter.end();
      expect(latest.at(-1)).toBe(numbered.at(-1));
      expect(numbered.filter((line) => latest.includes(line))).toEqual(latest);
    }),
    { numRuns: 60 },
  );
});
