import type { Language } from './language.ts';
import { isLifetime, walk } from './split.ts';

/** A part of a line that may be a statement. */
export type Segment = {
  readonly start: number;
  readonly end: number;
  /** It stands between the ends of other statements: it is not the value of an arrow function. */
  readonly isStatement: boolean;
};

const maxLine = 2000;
const maxSegments = 200;

/** What follows the start of a line, `;`, a brace, `=>`, `do`, and a colon where that opens a block. */
export function segmentsOf(line: string, language: Language): readonly Segment[] {
  if (line.length > maxLine) return [];
  const segments: Segment[] = [];
  for (const { at, isStatement } of startsIn(line, language).slice(0, maxSegments)) {
    const start = line.length - line.slice(at).trimStart().length;
    const end = walk(line, start, (index) => ';)}'.includes(line.charAt(index)));
    if (end === -1) continue;
    const text = line.slice(start, end).trimEnd();
    const inner = text.endsWith(' end') ? text.slice(0, -4).trimEnd() : text;
    if (inner !== '') segments.push({ start, end: start + inner.length, isStatement });
  }
  return segments;
}

type Start = { readonly at: number; readonly isStatement: boolean };

function startsIn(line: string, { comment, hasColons }: Language): readonly Start[] {
  const starts: Start[] = [{ at: 0, isStatement: true }];
  let quote = '';
  for (let index = 0; index < line.length; index += 1) {
    const char = line.charAt(index);
    if (quote !== '') {
      if (char === '\\') index += 1;
      else if (char === quote) quote = '';
      continue;
    }
    if (line.startsWith(comment, index) && /^\s?$/.test(line.charAt(index - 1))) break;
    if (char === '"' || char === '`' || (char === "'" && !isLifetime(line, index))) quote = char;
    else if (';{}'.includes(char)) starts.push({ at: index + 1, isStatement: true });
    else if (line.startsWith('=>', index)) starts.push({ at: index + 2, isStatement: false });
    else if (line.startsWith(' do ', index)) starts.push({ at: index + 4, isStatement: true });
    else if (char === ':' && hasColons === true) starts.push({ at: index + 1, isStatement: true });
  }
  return starts;
}

/** Statements of a text in a language without braces, each with the line break or `;` before it taken away. */
export function simpleStatements(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => {
    if (line.length > maxLine || !line.includes(';')) return [line];
    const cuts: number[] = [];
    const end = walk(line, 0, (index) => {
      if (line.charAt(index) === ';') cuts.push(index);
      return false;
    });
    if (end === -1) return [line];
    // What is further in belongs to a block, and so does what follows it.
    const isInside = /^\s/.test(line);
    return [...cuts, line.length].map((cut, index) => {
      const part = line.slice(index === 0 ? 0 : (cuts[index - 1] ?? 0) + 1, cut);
      return isInside ? part : part.trim();
    });
  });
}
