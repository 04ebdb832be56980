import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedaction } from '../../../src/core/redact/redactor.ts';
import { stripEscapes } from '../../../src/core/text/terminal.ts';
import { cut, redacted } from '../../support/redacted.ts';

const key = 'ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8';
const token = 'tok_9f8e7d6c5b4a';
const esc = '\u001b';

/** What `text` shows, however it is written: raw sequences, and those written down in JSON or by a program. */
function shownBy(text: string): string {
  const written = text.replaceAll(/\\+(?:u001b|x1b|033|e(?=\[))/gi, esc);
  return stripEscapes(Buffer.from(written, 'latin1').toString('utf8'));
}

describe('a secret whose colour changes', () => {
  it.each([
    ['in front of it and behind it', `${esc}[31m${key}${esc}[0m`, `${esc}[31m[redacted]${esc}[0m`],
    ['in the middle', `a ghp_${esc}[1;31m${key.slice(4)} b`, 'a [redacted] b'],
    ['after enough of it', `${key.slice(0, 38)}${esc}[0m${key.slice(38)}`, '[redacted]'],
    ['at every letter', key.split('').join(`${esc}[38;2;1;2;3m`), '[redacted]'],
    ['by a link', `gh${esc}]8;;https://x.test\u0007p_${key.slice(4)}`, '[redacted]'],
    ['by a link that ends with ST', `gh${esc}]8;;x${esc}\\p_${key.slice(4)}`, '[redacted]'],
    ['in JSON', `{"a":"ghp_\\u001b[31m${key.slice(4)}\\u001b[0m"}`, '{"a":"[redacted]\\u001b[0m"}'],
    ['in JSON in JSON', `ghp_\\\\u001b[31m${key.slice(4)}`, '[redacted]'],
    ['as Python writes it', `'ghp_\\x1b[31m${key.slice(4)}'`, "'[redacted]'"],
    [
      'as shells write it',
      `ghp_\\033[31m${key.slice(4)} ghp_\\e[1m${key.slice(4)}`,
      '[redacted] [redacted]',
    ],
    ['by an 8-bit sequence', `ghp_\u009b31m${key.slice(4)}`, '[redacted]'],
    ['by a control character', `ghp_\u0000${key.slice(4)}\r\n`, '[redacted]\r\n'],
    ['right before it, behind a word', `word${esc}[31m${key}`, `word${esc}[31m[redacted]`],
  ])('%s is hidden', (_where, text, expected) => {
    expect(redacted([], text)).toBe(Buffer.from(expected).toString('latin1'));
  });

  it('is hidden when it is one of the environment', () => {
    expect(redacted([token], `x tok_${esc}[1m${token.slice(4)}${esc}[m y`)).toBe(
      `x [redacted]${esc}[m y`,
    );
  });

  it('is hidden inside of what looks like a sequence', () => {
    // A link with a key in it, a title without an end, and a sequence that takes the first letter.
    expect(redacted([], `${esc}]8;;https://x.test/?${key}\u0007text`)).not.toContain('C3d4');
    expect(redacted([], `${esc}]0;${key} and no end\n`)).toBe(`${esc}]0;[redacted] and no end\n`);
    expect(redacted([], `${esc}${key}`)).not.toContain('C3d4');
  });

  it('does not cost the text around it a byte', () => {
    const text = `${esc}[1mtask-${esc}[22mrunner ${esc}]0;title\u0007\\u001b[3 \\u00 \\e ${esc}`;
    expect(redacted([], text)).toBe(text);
  });
});

const escapes = fc.oneof(
  fc
    .array(fc.nat(255), { maxLength: 4 })
    .chain((numbers) =>
      fc.constantFrom('m', 'K', 'H', 'h').map((final) => `${esc}[${numbers.join(';')}${final}`),
    ),
  fc.constantFrom(
    `${esc}[0m`,
    `${esc}[?25l`,
    `${esc}(B`,
    `${esc}7`,
    `${esc}]0;a title\u0007`,
    `${esc}]8;;https://x.test/a?b=c${esc}\\`,
    `${esc}Pq#0;2;0${esc}\\`,
    '\u009b1m',
    '\u009d0;t\u009c',
    '\u0000',
    '\u0008',
    '\u007f',
    '\\u001b[31m',
    '\\x1b[0m',
    '\\033[1m',
    '\\e[4m',
    '\\\\u001b[1;2m',
    '\\u001b]8;;x\\u0007',
    '\\u001b]8;;x\\u001b\\\\',
  ),
);

const around = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.constantFrom('', ' ', '"', '\n', 'key=', 'Bearer ', '\r\n', 'sk-', 'ghp_', 'tok_'),
  escapes,
);

/** A secret with escapes at any of its letters, and text on both sides. */
const coloured = fc
  .tuple(
    fc.constantFrom(key, token, 'sk-ant-api03-A1b2C3d4E5f6G7h8I9j0', 'AKIAIOSFODNN7EXAMPLE'),
    fc.array(fc.tuple(fc.nat(60), fc.array(escapes, { minLength: 1, maxLength: 3 })), {
      maxLength: 8,
    }),
    fc.array(around, { maxLength: 4 }),
    fc.array(around, { maxLength: 4 }),
    fc.array(fc.nat(2000), { maxLength: 20 }),
  )
  .map(([secret, inserted, before, after, places]) => {
    const letters = secret.split('');
    for (const [place, sequences] of inserted) {
      const at = place % letters.length;
      letters[at] = `${sequences.join('')}${letters[at]}`;
    }
    const text = `${before.join('')} ${letters.join('')} ${after.join('')}`;
    return { secret, text: text.toWellFormed(), places };
  });

describe('any secret in any escapes, cut anywhere', () => {
  it('never survives', () => {
    fc.assert(
      fc.property(coloured, ({ secret, text, places }) => {
        const result = redacted([token], ...cut(Buffer.from(text), places));
        expect(shownBy(result)).not.toContain(secret);
        expect(result).not.toContain(secret);
        expect(result).toContain('[redacted]');
      }),
      { numRuns: 1500 },
    );
  });

  it('gives the same result', () => {
    fc.assert(
      fc.property(coloured, ({ text, places }) => {
        const data = Buffer.from(text);
        const whole = redacted([token], data);
        expect(redacted([token], ...cut(data, places))).toBe(whole);
        expect(redacted([token], ...[...data].map((byte) => Buffer.from([byte])))).toBe(whole);
      }),
      { numRuns: 500 },
    );
  });

  it('leaves what is not a secret as it is', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(escapes, fc.string({ maxLength: 8 })), { maxLength: 30 }),
        fc.array(fc.nat(1000), { maxLength: 10 }),
        (pieces, places) => {
          const data = Buffer.from(pieces.join('').toWellFormed());
          expect(redacted([token], ...cut(data, places))).toBe(data.toString('latin1'));
        },
      ),
      { numRuns: 1000 },
    );
  });
});

describe('hostile sequences', () => {
  const hostile = [
    `${esc}[1;`,
    `${esc}]0;`,
    '\\u001b[',
    `g${esc}[m`,
    `eyJ${esc}[m`,
    '\u0000',
    '\\',
  ];

  it.each(hostile)('hold back little: %j', (text) => {
    const redactor = createRedaction([token]).stream();
    redactor.push(Buffer.from(text.repeat(20_000)));
    const rest = redactor.end().reduce((sum, part) => sum + part.length, 0);
    expect(rest).toBeLessThanOrEqual(8192);
  });

  it.each(hostile)('take linear time: %j', (text) => {
    const once = Math.max(timeOf(text, 10_000), 5);
    expect(timeOf(text, 40_000)).toBeLessThan(once * 20);
  });
});

function timeOf(text: string, count: number): number {
  const chunk = Buffer.from(text.repeat(count));
  const redactor = createRedaction([token]).stream();
  const before = performance.now();
  for (let i = 0; i < 4; i += 1) redactor.push(chunk);
  return performance.now() - before;
}
