import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { countChars } from '../../../src/core/text/code-points.ts';
import { cutAtSentence } from '../../../src/core/text/cut-sentence.ts';

const mark = ' _(truncated)_';

describe('a text that is too long', () => {
  test.each([
    ['English', 'Run the tests first. ', '.'],
    ['questions', 'Does it pass? ', '?'],
    ['Chinese', '先运行测试。', '。'],
    ['Japanese', 'テストを先に実行する！', '！'],
    ['Hindi', 'पहले परीक्षण चलाओ। ', '।'],
    ['Arabic', 'هل تعمل الاختبارات؟ ', '؟'],
    ['Burmese', 'စမ်းသပ်မှုများ။ ', '။'],
    ['lines', 'no full stop\n', 'stop'],
  ])('is cut behind a sentence of %s', (_, sentence, end) => {
    const cut = cutAtSentence(sentence.repeat(40), 120);
    expect(countChars(cut)).toBeLessThanOrEqual(120);
    expect(cut.endsWith(`${end}${mark}`)).toBe(true);
    expect(countChars(cut)).toBeGreaterThan(120 - 2 * countChars(sentence) - mark.length);
  });

  it('is cut between words when no sentence ends', () => {
    const cut = cutAtSentence('word another longerword '.repeat(20), 100);
    expect(cut).toMatch(/(?:word|another|longerword) _\(truncated\)_$/);
    expect(cut.length).toBeGreaterThan(80);
    expect(cut.length).toBeLessThanOrEqual(100);
  });

  it('is cut between letters when there is no word either', () => {
    const family = '👨‍👩‍👧';
    expect(cutAtSentence('x'.repeat(300), 100)).toBe(`${'x'.repeat(86)}${mark}`);
    const cut = cutAtSentence(family.repeat(100), 100);
    expect(cut.slice(0, -mark.length).replaceAll(family, '')).toBe('');
  });

  it.each(['one ', 'One sentence. ', 'A few words stand here, '])(
    'is cut inside an endless word when %j is all that stands before it',
    (before) => {
      const cut = cutAtSentence(`${before}${'x'.repeat(3000)}`, 100);
      expect(cut).toBe(`${before}${'x'.repeat(86 - before.length)}${mark}`);
    },
  );

  it('does not end behind the number of a list', () => {
    const cut = cutAtSentence(`1. ${'Very long words without an end '.repeat(20)}`, 200);
    expect(cut.length).toBeGreaterThan(150);
  });

  it('is within its limit, and one that fits stays as it is', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 300 });
    fc.assert(
      fc.property(text, fc.integer({ min: 40, max: 250 }), (given, max) => {
        const cut = cutAtSentence(given, max);
        expect(countChars(cut)).toBeLessThanOrEqual(max);
        if (countChars(given) <= max) expect(cut).toBe(given);
        else expect(given.startsWith(cut.slice(0, -mark.length))).toBe(true);
      }),
    );
  });
});
