/** Values to compare with: neither of them, nor their kind, says anything of the tests they stand in. */
export type Values = { readonly numbers: readonly number[]; readonly words: readonly string[] };

/** How a language writes values. */
export type Notation = {
  /** Single quotes hold one character. */
  readonly hasCharacters: boolean;
  /** Every word is text: `3` and `"3"` are the same. */
  readonly isShell: boolean;
};

/** A value that stands in a text as itself, and two others of its kind. */
export type Literal = {
  /** The literal with another value in it. */
  readonly other: string;
  /** Two scalars of its kind that differ. */
  readonly pair: readonly [string, string];
};

const maxLength = 300;

/** Null for whatever has to be computed: names, calls, sums. */
export function readLiteral(text: string, notation: Notation, values: Values): Literal | null {
  if (text.length === 0 || text.length > maxLength) return null;
  const [first = 0, second = 0, third = 0] = values.numbers;
  const [one = '', two = ''] = values.words;
  const number = /^-?(\d[\d_]*)(\.\d+)?([a-z]{0,2}\d{0,2}|n)$/.exec(text);
  if (number !== null) {
    const [, , fraction = '', suffix = ''] = number;
    const all = [first, second, third].map((each) => `${each}${fraction}${suffix}`);
    const [a = '', b = ''] = all.filter((each) => each !== text);
    return { other: a, pair: [a, b] };
  }
  const flipped = flip(text);
  if (flipped !== null) return { other: flipped, pair: [text, flipped] };
  const quote = text.charAt(0);
  if (isQuoted(text)) {
    if (quote === "'" && notation.hasCharacters) {
      const [a = '', b = ''] = ["'k'", "'v'", "'z'"].filter((each) => each !== text);
      return text.length === 3 ? { other: a, pair: [a, b] } : null;
    }
    if (notation.isShell && quote === '"' && /[$`\\]/.test(text)) return null;
    return { other: quote + one + quote, pair: [quote + one + quote, quote + two + quote] };
  }
  if (notation.isShell) return /^[\w.:+-]+$/.test(text) ? { other: one, pair: [one, two] } : null;
  return readList(text, notation, values);
}

/** `[1, 'a']` and `{ a: 1 }`: the first value in it is another one. */
function readList(text: string, notation: Notation, values: Values): Literal | null {
  if (!/^(?:\[.*\]|\{.*\})$/s.test(text) || !/^[\w\s'":,.=>[\]{}-]+$/.test(text)) return null;
  const scalars = text.matchAll(/'[^'"]*'|"[^'"]*"|(?<![\w.'"-])-?\d+(?:\.\d+)?(?![\w.'"])/g);
  for (const { 0: found, index } of scalars) {
    const literal = readLiteral(found, notation, values);
    if (literal === null || /^\s*(?::|=>)/.test(text.slice(index + found.length))) continue;
    const other = text.slice(0, index) + literal.other + text.slice(index + found.length);
    return { other, pair: literal.pair };
  }
  return null;
}

function flip(text: string): string | null {
  switch (text) {
    case 'true':
      return 'false';
    case 'false':
      return 'true';
    case 'True':
      return 'False';
    case 'False':
      return 'True';
    default:
      return null;
  }
}

function isQuoted(text: string): boolean {
  const quote = text.charAt(0);
  if (text.length < 2 || !`'"\``.includes(quote) || !text.endsWith(quote)) return false;
  const inner = text.slice(1, -1);
  return !inner.includes(quote) && !inner.includes('\\') && !(quote === '`' && /[$]/.test(inner));
}
