export type Checkbox = {
  /** Columns before the list marker; a tab reaches the next multiple of four. */
  readonly indent: number;
  /** Columns from the list marker to the box. */
  readonly markerWidth: number;
  readonly checked: boolean;
  readonly text: string;
};

/** `- [ ] text`, also with `*`, `+`, `1.` or `1)`. */
export function checkboxOf(line: string): Checkbox | null {
  const match = /^([ \t]*)([-*+]|\d{1,9}[.)])([ \t]+)\[([ xX])\](?:[ \t]+(.*))?$/.exec(line);
  if (match === null) return null;
  const [, lead = '', marker = '', gap = '', box = ' ', text = ''] = match;
  return {
    indent: columnsOf(lead),
    markerWidth: marker.length + columnsOf(gap),
    checked: box !== ' ',
    text: text.trim(),
  };
}

export function columnsOf(whitespace: string): number {
  let columns = 0;
  for (const character of whitespace) columns += character === '\t' ? 4 - (columns % 4) : 1;
  return columns;
}

export type Fence = {
  readonly mark: string;
  /** Nothing follows the mark, so it can close a block. */
  readonly bare: boolean;
};

/** The backticks or tildes that open or close a block of code on this line. */
export function fenceOf(line: string): Fence | null {
  const match = /^[ \t]*(`{3,}|~{3,})([^\r\n]*)$/.exec(line);
  if (match === null) return null;
  const [, mark = '', rest = ''] = match;
  if (mark.startsWith('`') && rest.includes('`')) return null;
  return { mark, bare: rest.trim() === '' };
}

/** The fence that is open after this line, given the one open before it. */
export function nextFence(open: string | null, line: string): string | null {
  const fence = fenceOf(line);
  if (fence === null) return open;
  if (open === null) return fence.mark;
  return fence.bare && fence.mark.startsWith(open) ? null : open;
}
