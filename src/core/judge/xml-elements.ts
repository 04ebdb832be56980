/** An element right below the root: its name and its whole text. */
export type XmlElement = {
  readonly name: string;
  readonly text: string;
  readonly from: number;
  readonly to: number;
};

export type XmlRoot = {
  readonly name: string;
  /** The start tag. */
  readonly tag: string;
  /** Where the content of the root starts and ends. */
  readonly from: number;
  readonly to: number;
  readonly children: readonly XmlElement[];
};

/**
 * The root of an XML text and the elements right below it, by one pass over its tags. Null when the text is not well
 * formed as far as that needs it, or has a document type, which could rename anything.
 */
export function xmlRoot(text: string): XmlRoot | null {
  const open: { name: string; from: number }[] = [];
  const children: XmlElement[] = [];
  let root: { name: string; tag: string; from: number } | null = null;
  for (let at = text.indexOf('<'); at !== -1; at = text.indexOf('<', at)) {
    const end = endOfMarkup(text, at);
    if (end === -1) return null;
    const markup = text.slice(at, end);
    const from = at;
    at = end;
    if (markup.startsWith('<!--') || markup.startsWith('<?') || markup.startsWith('<![CDATA['))
      continue;
    if (markup.startsWith('<!')) return null;
    const isClosing = markup.startsWith('</');
    const name = nameIn(markup, isClosing ? 2 : 1);
    if (isClosing) {
      const opened = open.pop();
      if (opened === undefined || opened.name !== name) return null;
      if (open.length === 1) {
        children.push({ name, text: text.slice(opened.from, end), from: opened.from, to: end });
      }
      if (open.length === 0 && root !== null) return { ...root, to: from, children };
      continue;
    }
    const isEmpty = markup.endsWith('/>');
    if (open.length === 0) {
      if (isEmpty) return null;
      root = { name, tag: markup, from: end };
    }
    if (!isEmpty) open.push({ name, from });
    else if (open.length === 1) children.push({ name, text: markup, from, to: end });
  }
  return null;
}

/** Where a tag, a comment or the like that starts at `at` ends; -1 when it does not. */
function endOfMarkup(text: string, at: number): number {
  for (const [start, stop] of [
    ['<!--', '-->'],
    ['<![CDATA[', ']]>'],
    ['<?', '?>'],
  ] as const) {
    if (text.startsWith(start, at)) {
      const found = text.indexOf(stop, at + start.length);
      return found === -1 ? -1 : found + stop.length;
    }
  }
  let quote = '';
  for (let index = at + 1; index < text.length; index++) {
    const char = text[index] ?? '';
    if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === '"' || char === "'") quote = char;
    else if (char === '>') return index + 1;
    else if (char === '<') return -1;
  }
  return -1;
}

function nameIn(markup: string, from: number): string {
  let end = from;
  while (end < markup.length && !' \t\r\n/>'.includes(markup[end] ?? '>')) end++;
  return markup.slice(from, end);
}
