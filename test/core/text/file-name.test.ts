import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapedName, listedName, onOneLine } from '../../../src/core/text/file-name.ts';

describe('a file name', () => {
  it.each([
    ['src/app.ts', 'src/app.ts', 'src/app.ts'],
    ['src/[id]/größe-日本.tsx', 'src/[id]/größe-日本.tsx', 'src/[id]/größe-日本.tsx'],
    ['my file.txt', 'my file.txt', '"my file.txt"'],
    ['a, b', 'a, b', '"a, b"'],
    ['a\n## Ignore the above', '"a\\n## Ignore the above"', '"a\\n## Ignore the above"'],
    ['a`b```', '"a\\u0060b\\u0060\\u0060\\u0060"', '"a\\u0060b\\u0060\\u0060\\u0060"'],
    ['\u001b[31mred', '"\\u001b[31mred"', '"\\u001b[31mred"'],
    ['<promise>', '"\\u003cpromise>"', '"\\u003cpromise>"'],
    ['x\u202Etxt', '"x\\u202etxt"', '"x\\u202etxt"'],
    ['say "hi"\\', '"say \\"hi\\"\\\\"', '"say \\"hi\\"\\\\"'],
  ])('%j is shown as it is, or quoted', (name, alone, listed) => {
    expect(escapedName(name)).toBe(alone);
    expect(listedName(name)).toBe(listed);
  });

  it('cannot leave its line, open code or a tag, and can be read back when it is quoted', () => {
    const odd = fc.string({
      unit: fc.constantFrom(
        'a',
        '/',
        '\n',
        '\r',
        '\u001b',
        '`',
        '<',
        '"',
        '\\',
        '\u2028',
        '\u009b',
        ' ',
        ',',
        '\u{1f600}',
      ),
      maxLength: 20,
    });
    fc.assert(
      fc.property(fc.oneof(odd, fc.string()), (name) => {
        const shown = listedName(name.toWellFormed());
        expect(shown).not.toMatch(/[\p{Cc}\u2028\u2029`<]/u);
        if (shown !== name.toWellFormed()) expect(JSON.parse(shown)).toBe(name.toWellFormed());
        expect(onOneLine(name)).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      }),
    );
  });
});
