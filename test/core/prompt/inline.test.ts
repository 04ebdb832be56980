import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { inlineCode, singleLine } from '../../../src/core/prompt/inline.ts';

it.each([
  ['a\n\n# b\tc', 'a # b c'],
  ['\u001b[31mred\u202e', '[31mred'],
  ['  x  ', 'x'],
])('%o becomes one line', (text, expected) => {
  expect(singleLine(text)).toBe(expected);
});

it('cuts what is too long, between characters', () => {
  expect(singleLine('😀😀😀', 2)).toBe('😀😀…');
  expect(singleLine('x'.repeat(1_000_000), 3)).toBe('xxx…');
});

it.each([
  ['npm test', '`npm test`'],
  ['echo `date`', '`` echo `date` ``'],
  ['a `` b', '```a `` b```'],
  ['', '(none)'],
])('%o as inline code', (text, expected) => {
  expect(inlineCode(text)).toBe(expected);
});

it('inline code is one line that only its own backticks can close', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.constantFrom('`', '``', '\n', ''), (a, b) => {
      const code = inlineCode(`${a}${b}${a}${b}`);
      expect(code).not.toMatch(/[\n\r\u2028\u2029]/);
      if (code === '(none)') return;
      const ticks = /^`+/.exec(code)?.[0] ?? '';
      const inner = code.slice(ticks.length, -ticks.length);
      expect(code.endsWith(ticks)).toBe(true);
      expect(inner.split(/[^`]+/).every((run) => run.length < ticks.length)).toBe(true);
    }),
  );
});
