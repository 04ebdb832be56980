import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fence } from '../../../src/core/text/fence.ts';

describe('fence', () => {
  it('wraps text in three backticks', () => {
    expect(fence('hello', 'txt')).toBe('```txt\nhello\n```');
    expect(fence('hello\n')).toBe('```\nhello\n```');
    expect(fence('')).toBe('```\n```');
  });

  it('is longer than any run of backticks in the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('`', 'a', '\n') }), (text) => {
        const marks = /^`+/.exec(fence(text))![0];
        const runs = text.match(/`+/g) ?? [];
        expect(marks.length).toBe(Math.max(3, ...runs.map((run) => run.length + 1)));
      }),
    );
  });

  it('keeps the info string on one line and free of backticks', () => {
    expect(fence('x', 'a`b\nc')).toBe('```abc\nx\n```');
  });
});
