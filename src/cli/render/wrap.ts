import { textWidth } from './width.ts';

/** Words filled into lines of at most `columns`, the first behind `first`, the others behind `rest`. */
export function wrap(text: string, columns: number, first: string, rest: string = first): string {
  return fill(text.split(/\s+/), columns, first, rest).join('\n');
}

/** A command line over several lines, broken between words and never inside quotes. */
export function wrapCommand(line: string, columns: number, indent: string): string {
  if (indent.length + textWidth(line) <= columns) return `${indent}${line}`;
  const words = line.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? [line];
  return fill(words, columns - 2, indent, `${indent}    `).join(' \\\n');
}

function fill(words: readonly string[], columns: number, first: string, rest: string): string[] {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const word of words.filter((each) => each !== '')) {
    const fits = textWidth(line) + (isEmpty ? 0 : 1) + textWidth(word) <= columns;
    if (!isEmpty && !fits) {
      lines.push(line);
      line = rest;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line].map((each) => each.trimEnd());
}
