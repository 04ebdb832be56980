/** How a language writes comments and texts, as far as telling code from comments needs it. */
export type Syntax = {
  readonly lineComment: readonly string[];
  readonly blockComment: readonly (readonly [open: string, close: string])[];
  /** Texts that may span lines. */
  readonly longText: readonly string[];
  /** Texts that end with their line at the latest. */
  readonly text: readonly string[];
};

/**
 * The code of a source file: comments become blanks, line breaks stay where they are, texts keep their content unless
 * they stand alone as long texts do that serve as comments. Linear and total; it reads no grammar, so a rare regular
 * expression literal may hide the rest of its line.
 */
export function withoutComments(source: string, syntax: Syntax): string {
  const out: string[] = [];
  let at = 0;
  while (at < source.length) {
    const end = commentEnd(source, at, syntax);
    if (end !== null) {
      out.push(blank(source.slice(at, end)));
      at = end;
      continue;
    }
    const textEnd = endOfText(source, at, syntax);
    const next = textEnd ?? at + 1;
    out.push(source.slice(at, next));
    at = next;
  }
  return out.join('');
}

function blank(text: string): string {
  return text.includes('\n') ? '\n'.repeat(text.split('\n').length - 1) : ' ';
}

/** Where the comment that starts here ends; null when none does. */
function commentEnd(source: string, at: number, syntax: Syntax): number | null {
  for (const open of syntax.lineComment) {
    if (!source.startsWith(open, at)) continue;
    const end = source.indexOf('\n', at);
    return end === -1 ? source.length : end;
  }
  for (const [open, close] of syntax.blockComment) {
    if (!source.startsWith(open, at)) continue;
    const end = source.indexOf(close, at + open.length);
    return end === -1 ? source.length : end + close.length;
  }
  return null;
}

/** Where the text that starts here ends; null when none does. */
function endOfText(source: string, at: number, syntax: Syntax): number | null {
  const long = syntax.longText.find((quote) => source.startsWith(quote, at));
  if (long !== undefined) return closing(source, at + long.length, long, true);
  const short = syntax.text.find((quote) => source.startsWith(quote, at));
  return short === undefined ? null : closing(source, at + short.length, short, false);
}

function closing(source: string, from: number, quote: string, isLong: boolean): number {
  for (let at = from; at < source.length; at++) {
    if (source[at] === '\\') at++;
    else if (source.startsWith(quote, at)) return at + quote.length;
    else if (!isLong && source[at] === '\n') return at;
  }
  return source.length;
}
