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
  const starts = startsOf(syntax);
  const out: string[] = [];
  let kept = 0;
  let at = 0;
  while (at < source.length) {
    if (!starts.has(source.charCodeAt(at))) {
      at++;
      continue;
    }
    const end = commentEnd(source, at, syntax);
    if (end === null) {
      at = endOfText(source, at, syntax) ?? at + 1;
      continue;
    }
    out.push(source.slice(kept, at), blank(source.slice(at, end)));
    kept = end;
    at = end;
  }
  out.push(source.slice(kept));
  return out.join('');
}

/** First characters of everything that starts a comment or a text. */
function startsOf({ lineComment, blockComment, longText, text }: Syntax): ReadonlySet<number> {
  const words = [...lineComment, ...blockComment.map(([open]) => open), ...longText, ...text];
  return new Set(words.map((word) => word.charCodeAt(0)));
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
  const first = quote.charCodeAt(0);
  for (let at = from; at < source.length; at++) {
    const code = source.charCodeAt(at);
    if (code === 0x5c) at++;
    else if (code === first && source.startsWith(quote, at)) return at + quote.length;
    else if (!isLong && code === 0x0a) return at;
  }
  return source.length;
}
