import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainText, stripEscapes } from '../../../src/core/text/terminal.ts';

const unsafe = /[^\P{C}\n\t]|[\u2028\u2029]/u;

describe('plainText', () => {
  it.each([
    ['colours', '\u001b[1;31mred\u001b[0m', 'red'],
    ['cursor movement', 'a\u001b[2K\u001b[1A\u001b[10;5Hb', 'ab'],
    ['a window title', '\u001b]0;evil\u0007ok', 'ok'],
    ['a link', '\u001b]8;;http://x\u001b\\text\u001b]8;;\u001b\\', 'text'],
    ['a DCS body', '\u001bPq#0;2;0;0;0\u001b\\ok', 'ok'],
    ['an APC body', '\u001b_Gpayload\u001b\\ok', 'ok'],
    ['C1 forms', '\u009b31mred\u009d0;title\u009cok', 'redok'],
    ['a charset switch', '\u001b(Bok', 'ok'],
    ['a lone escape at the end', 'ok\u001b', 'ok'],
    ['bell, backspace and delete', 'a\u0007\b\u007fb', 'ab'],
    ['CRLF', 'a\r\nb\r\r\nc', 'a\nb\nc'],
    ['overwriting by carriage return', '10%\r20%', '10%\n20%'],
    ['reordering', 'a\u202eb', 'a\\u{202E}b'],
    ['zero width', 'a\u200bb\ufeff', 'a\\u{200B}b\\u{FEFF}'],
    ['tag characters', 'a\u{e0041}b', 'a\\u{E0041}b'],
    ['lone surrogates', 'a\ud800b', 'a\\u{D800}b'],
  ])('neutralises %s', (_name, text, shown) => {
    expect(plainText(text)).toBe(shown);
  });

  it('keeps ordinary text of every script', () => {
    const text = 'tab\tnewline\nÄ 漢字 العربية 😀 ⚠️ ✔ ─';
    expect(plainText(text)).toBe(text);
  });

  it('does not let an unfinished string sequence hide the next line', () => {
    expect(plainText('\u001b]0;never ends\nvisible')).toBe('\nvisible');
  });

  it('leaves nothing unsafe in any text, and changes nothing on a second pass', () => {
    const units = fc.string({ unit: 'binary', maxLength: 80 });
    const pieces = fc.constantFrom(
      '\u001b',
      '\u001b[',
      '\u001b]',
      '\u009b',
      '\r',
      '\u202e',
      '[31m',
      'x',
      '\n',
      '\ud800',
    );
    const texts = fc.array(fc.oneof(units, pieces), { maxLength: 20 }).map((all) => all.join(''));
    fc.assert(
      fc.property(texts, (text) => {
        const shown = plainText(text);
        const controls = Array.from(shown).filter(
          (char) => unsafe.test(char) && /[\p{Cc}\p{Cs}\u2028-\u202e]/u.test(char),
        );
        expect(controls).toEqual([]);
        expect(plainText(shown)).toBe(shown);
      }),
    );
  });

  it('is linear on escape-heavy input', () => {
    const started = performance.now();
    for (const piece of [
      '\u001b]',
      '\u001b[',
      '\u001b[1;',
      '\u009d',
      '\r',
      '\u202e',
      '\u001bP\u001b',
    ]) {
      plainText(piece.repeat(1_000_000 / piece.length));
    }
    expect(performance.now() - started).toBeLessThan(5000);
  });
});

describe('stripEscapes', () => {
  it('removes escapes and controls but leaves every other character alone', () => {
    expect(stripEscapes('\u001b[31m✔ \u202e\u001b[0m\tx\n')).toBe('✔ \u202e\tx\n');
  });
});
