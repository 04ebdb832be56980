import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { slugOf, titleOf } from '../../../src/core/task/slug.ts';

describe('a slug', () => {
  test.each([
    ['Add login', 'add-login'],
    ['  Parse “A, B”!  ', 'parse-a-b'],
    ['Größe ändern: café', 'große-andern-cafe'],
    ['日本語の題', '日本語の題'],
    ['한국어', '한국어'],
    ['v1.2 / v2', 'v1-2-v2'],
    ['!?', ''],
  ])('of “%s” is “%s”', (title, slug) => {
    expect(slugOf(title)).toBe(slug);
  });

  test('is cut between words, and inside one only when the first is too long', () => {
    expect(slugOf('word '.repeat(40))).toBe(`${'word-'.repeat(15)}word`);
    expect(slugOf('a'.repeat(500))).toBe('a'.repeat(80));
  });

  test('of a slug is itself, and is bounded', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (title) => {
        const slug = slugOf(title);
        expect(slugOf(slug)).toBe(slug);
        expect(slug.length).toBeLessThanOrEqual(160);
      }),
    );
  });
});

test('a title is one line', () => {
  expect(titleOf(' Add\n\tlogin \r\n page ')).toBe('Add login page');
});
