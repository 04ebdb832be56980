/** One well-formed `<name …>content</name>`: indexes into the text it was found in. */
export type Tag = {
  readonly start: number;
  readonly attributes: Attributes;
  readonly contentStart: number;
  readonly contentEnd: number;
  readonly end: number;
};

/** Keeps the reading of one opening tag short, whatever stands behind it. */
const maxAttributes = 16;

export type Attributes = Readonly<Record<string, string>>;

/**
 * All well-formed tags of one name whose attributes are accepted, in order. Whitespace inside the angle brackets is
 * allowed. An opening tag that is followed by another one before any closing tag is malformed and passed over.
 * Linear: every search goes forward.
 */
export function* findTags(
  text: string,
  name: string,
  accepts: (attributes: Attributes) => boolean,
): Generator<Tag> {
  let close: Close | null = { start: -1, end: -1 };
  let opening: Opening | null = null;
  for (const next of findOpenings(text, name, accepts)) {
    if (opening !== null && close.start < opening.end) close = nextClose(text, name, opening.end);
    if (close === null) return;
    if (opening !== null && close.start < next.start) {
      yield { ...opening, contentStart: opening.end, contentEnd: close.start, end: close.end };
    }
    opening = next;
  }
  if (opening === null) return;
  const last: Close | null = close.start < opening.end ? nextClose(text, name, opening.end) : close;
  if (last === null) return;
  yield { ...opening, contentStart: opening.end, contentEnd: last.start, end: last.end };
}

type Opening = { readonly start: number; readonly attributes: Attributes; readonly end: number };

function* findOpenings(
  text: string,
  name: string,
  accepts: (attributes: Attributes) => boolean,
): Generator<Opening> {
  const marker = `<${name}`;
  const quotes = quoteFinder(text);
  let start = text.indexOf(marker);
  while (start !== -1) {
    const opening = readOpening(text, start, start + marker.length, quotes);
    const isOpening = opening !== null && accepts(opening.attributes);
    if (isOpening) yield opening;
    start = text.indexOf(marker, isOpening ? opening.end : start + marker.length);
  }
}

type Close = { readonly start: number; readonly end: number };

function nextClose(text: string, name: string, from: number): Close | null {
  const marker = `</${name}`;
  for (let start = text.indexOf(marker, from); start !== -1;) {
    const end = skipSpace(text, start + marker.length);
    if (text[end] === '>') return { start, end: end + 1 };
    start = text.indexOf(marker, start + marker.length);
  }
  return null;
}

/** Reads `attr="value" … >` from behind the tag's name; null when it is anything else. */
function readOpening(
  text: string,
  start: number,
  from: number,
  quotes: QuoteFinder,
): Opening | null {
  const attributes: Record<string, string> = Object.create(null);
  let i = from;
  for (let count = 0; count <= maxAttributes; count++) {
    const behindSpace = skipSpace(text, i);
    if (text[behindSpace] === '>') return { start, attributes, end: behindSpace + 1 };
    if (behindSpace === i) return null;
    const nameEnd = skipName(text, behindSpace);
    const equals = skipSpace(text, nameEnd);
    const open = skipSpace(text, equals + 1);
    const quote = text[open];
    if (nameEnd === behindSpace || text[equals] !== '=' || (quote !== '"' && quote !== "'"))
      return null;
    const close = quotes(quote, open + 1);
    if (close === -1) return null;
    attributes[text.slice(behindSpace, nameEnd)] ??= text.slice(open + 1, close);
    i = close + 1;
  }
  return null;
}

type QuoteFinder = (quote: string, from: number) => number;

/** `indexOf` that searches to the end in vain at most once for each quote. */
function quoteFinder(text: string): QuoteFinder {
  const exhausted = new Set<string>();
  return (quote, from) => {
    if (exhausted.has(quote)) return -1;
    const found = text.indexOf(quote, from);
    if (found === -1) exhausted.add(quote);
    return found;
  };
}

function skipSpace(text: string, from: number): number {
  let i = from;
  while (text[i] === ' ' || text[i] === '\t' || text[i] === '\n' || text[i] === '\r') i++;
  return i;
}

function skipName(text: string, from: number): number {
  let i = from;
  for (; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const isLetter = (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
    if (!isLetter && code !== 0x2d && code !== 0x5f) break;
  }
  return i;
}
