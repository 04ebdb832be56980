import { sigilNames } from './sigil-names.ts';

/**
 * The text, unchanged in length, with tags made unreadable that are shown rather than meant: fenced code is blanked out line by
 * line, and in quotes, indented code, comments, and behind a backtick or a quotation mark every opening tag loses its `<`. A
 * fence that is never closed reaches to the end, as in CommonMark; fences may be indented by any amount, since agents put them
 * into lists.
 */
export function maskCode(text: string): string {
  let out = '';
  let fence: Fence | null = null;
  let block = empty;
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline + 1;
    const line = text.slice(start, end);
    if (fence === null) {
      fence = openingFence(line);
      block = nextBlock(block, line);
      out += line.includes('<') ? maskLine(line, block) : line;
    } else {
      if (closes(fence, line)) fence = null;
      out += line.endsWith('\n') ? `${'\0'.repeat(line.length - 1)}\n` : '\0'.repeat(line.length);
    }
    start = end;
  }
  return maskComments(out);
}

const opening = new RegExp(`<(?=(?:${sigilNames.join('|')})(?![a-z-]))`, 'g');
const quoted = new RegExp(`(["'“‘])<(?=(?:${sigilNames.join('|')})(?![a-z-]))`, 'g');

function maskLine(line: string, { isCode }: Block): string {
  return isCode || isQuote(line) ? maskOpenings(line) : maskInline(line);
}

function maskOpenings(text: string): string {
  return text.replaceAll(opening, '\0');
}

/** A closing tag right behind inline code is meant, one between backticks is not. */
function maskInline(line: string): string {
  return line
    .replaceAll(/`<(?!\/)/g, '`\0')
    .replaceAll(/`<(?=\/[a-z-]{1,30} {0,5}>`)/g, '`\0')
    .replaceAll(quoted, '$1\0');
}

/** A comment that is never closed is none. */
function maskComments(text: string): string {
  let out = '';
  let from = 0;
  for (let start = text.indexOf('<!--'); start !== -1; start = text.indexOf('<!--', from)) {
    const end = text.indexOf('-->', start + 4);
    if (end === -1) break;
    out += text.slice(from, start) + maskOpenings(text.slice(start, end));
    from = end;
  }
  return out + text.slice(from);
}

/** Where a line stands, as far as it decides whether an indented one is code. */
type Block = {
  readonly isCode: boolean;
  /** Indented code needs an empty line before it. */
  readonly mayBeCode: boolean;
  /** What is indented belongs to the item. */
  readonly inList: boolean;
};

function nextBlock({ isCode, mayBeCode, inList }: Block, line: string): Block {
  const indent = indentOf(line);
  const first = line[indent];
  if (first === undefined || first === '\n') return inList ? emptyInList : isCode ? code : empty;
  const isIndented = indent > 3 || line[0] === '\t';
  if (isIndented && !inList && (isCode || mayBeCode)) return code;
  if (!isIndented && startsItem(line, indent)) return item;
  return inList && indent > 0 ? item : paragraph;
}

const empty: Block = { isCode: false, mayBeCode: true, inList: false };
const emptyInList: Block = { isCode: false, mayBeCode: true, inList: true };
const code: Block = { isCode: true, mayBeCode: true, inList: false };
const item: Block = { isCode: false, mayBeCode: false, inList: true };
const paragraph: Block = { isCode: false, mayBeCode: false, inList: false };

function indentOf(line: string): number {
  let indent = 0;
  while (line[indent] === ' ' || line[indent] === '\t' || line[indent] === '\r') indent++;
  return indent;
}

/** `- `, `* `, `+ `, `1. ` or `1) `. */
function startsItem(line: string, indent: number): boolean {
  let end = indent;
  while (isDigit(line.charCodeAt(end)) && end - indent < 9) end++;
  const marks = end === indent ? '-*+' : '.)';
  return marks.includes(line[end] ?? ' ') && (line[end + 1] === ' ' || line[end + 1] === '\t');
}

function isDigit(char: number): boolean {
  return char >= 0x30 && char <= 0x39;
}

function isQuote(line: string): boolean {
  const indent = indentOf(line);
  return indent < 4 && line[indent] === '>';
}

type Fence = { readonly mark: string; readonly length: number };

function openingFence(line: string): Fence | null {
  const found = fenceRun(line);
  if (found === null) return null;
  const info = line.slice(found.end);
  if (found.mark === '`' && info.includes('`')) return null;
  return { mark: found.mark, length: found.length };
}

function closes(fence: Fence, line: string): boolean {
  const found = fenceRun(line);
  if (found === null || found.mark !== fence.mark || found.length < fence.length) return false;
  return line.slice(found.end).trim() === '';
}

function fenceRun(line: string): (Fence & { readonly end: number }) | null {
  let start = 0;
  while (line[start] === ' ' || line[start] === '\t') start++;
  const mark = line[start];
  if (mark !== '`' && mark !== '~') return null;
  let end = start;
  while (line[end] === mark) end++;
  return end - start >= 3 ? { mark, length: end - start, end } : null;
}
