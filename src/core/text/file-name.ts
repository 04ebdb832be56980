/**
 * File names in texts for people and agents. A name may hold line breaks, escapes, and words that look like ours: it stays on
 * its line and is seen for what it is.
 */
import { plainText } from './terminal.ts';

const controls = /\p{C}|[\u2028\u2029]/gu;
/** What a quoted name may not hold as it is: its own quotes, and what Markdown or a tag is made of. */
const special = /["\\`<]/g;

/** Any text on one line: what would leave the line or hide on it is written as its number. */
export function onOneLine(text: string): string {
  return text.replaceAll(controls, written);
}

/** A name, or a line with one in it: as it is, else quoted as in JSON. */
export function escapedName(name: string): string {
  const isPlain = name.search(controls) === -1 && name.search(special) === -1;
  return isPlain && plainText(name) === name ? name : quoted(name);
}

/** A name among others, separated by commas: quoted also when it holds spaces or commas. */
export function listedName(name: string): string {
  return /[\s,]/.test(name) ? quoted(name) : escapedName(name);
}

function quoted(name: string): string {
  const inside = name.replaceAll(special, (char) =>
    char === '`' || char === '<' ? written(char) : `\\${char}`,
  );
  return `"${onOneLine(inside)}"`;
}

const letters: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function written(char: string): string {
  const units = Array.from({ length: char.length }, (_, index) => char.charCodeAt(index));
  return letters[char] ?? units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
