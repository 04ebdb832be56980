import { skipControl } from '../../text/terminal.ts';

const maxLineChars = 4096;
/** Stands for the third column of the first row: there, and only there, mocha's min reporter puts the cursor. */
export const clearedForMin = '\f';
/** How far up a program can redraw; lines above are settled. */
const redrawRows = 200;

/**
 * Visits the lines a person would see in a terminal: without escapes, `\r` and erasing applied, and lines that were
 * drawn again counted once. Linear; each line is cut at 4096 characters.
 */
export function forEachLine(text: string, visit: (line: string) => void): void {
  const keptRows = movesUp(text) ? redrawRows : 0;
  const screen: Screen = { rows: [''], row: 0, overwrite: false };
  for (let start = 0; start <= text.length;) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    if (screen.rows.length === 1 && screen.rows[0] === '' && isPlain(text, start, end)) {
      if (start < end || newline !== -1)
        visit(text.slice(start, Math.min(end, start + maxLineChars)));
    } else {
      draw(screen, text, start, end, visit);
      if (newline !== -1) lineBreak(screen, keptRows, visit);
    }
    start = end + 1;
  }
  flush(screen, visit);
}

type Screen = { rows: string[]; row: number; overwrite: boolean };

function movesUp(text: string): boolean {
  for (let i = text.indexOf('\u001b['); i !== -1;) {
    const end = skipControl(text, i);
    const final = text[end - 1];
    if (final === 'A' || final === 'F') return true;
    i = text.indexOf('\u001b[', end);
  }
  return false;
}

function isPlain(text: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 ? code !== 0x09 : code >= 0x7f && code <= 0x9f) return false;
  }
  return true;
}

function draw(
  screen: Screen,
  text: string,
  start: number,
  end: number,
  visit: (line: string) => void,
): void {
  let from = start;
  for (let i = start; i < end;) {
    const code = text.charCodeAt(i);
    if (code >= 0x20 && (code < 0x7f || code > 0x9f)) {
      i++;
      continue;
    }
    if (code === 0x09) {
      i++;
      continue;
    }
    write(screen, text.slice(from, i));
    const behind = Math.min(skipControl(text, i), end);
    // Colours are the most frequent sequences by far and move nothing.
    if (text.charCodeAt(behind - 1) !== 0x6d)
      control(screen, text.slice(i, Math.min(behind, i + 32)), visit);
    i = behind;
    from = behind;
  }
  write(screen, text.slice(from, end));
}

function write(screen: Screen, piece: string): void {
  if (piece === '') return;
  const before = screen.overwrite ? '' : (screen.rows[screen.row] ?? '');
  screen.overwrite = false;
  screen.rows[screen.row] =
    before.length >= maxLineChars ? before : (before + piece).slice(0, maxLineChars);
}

function control(screen: Screen, sequence: string, visit: (line: string) => void): void {
  if (sequence === '\r') {
    screen.overwrite = true;
    return;
  }
  if (!sequence.startsWith('\u001b[') && !sequence.startsWith('\u009b')) return;
  const parameter = Number.parseInt(sequence.slice(sequence.indexOf('[') + 1), 10);
  const count = Number.isNaN(parameter) ? 0 : Math.min(parameter, redrawRows);
  switch (sequence.at(-1) ?? '') {
    case 'A':
    case 'F':
      return moveTo(screen, screen.row - Math.max(1, count));
    case 'B':
    case 'E':
      return moveTo(screen, screen.row + Math.max(1, count));
    case 'G':
      screen.overwrite = count <= 1;
      return;
    case 'K':
      if (count === 2 || screen.overwrite) screen.rows[screen.row] = '';
      return;
    case 'J':
      return count === 0 ? eraseBelow(screen) : flush(screen, visit);
    case 'H':
      flush(screen, visit);
      if (sequence === '\u001b[1;3H') visit(clearedForMin);
      return;
    default:
  }
}

function moveTo(screen: Screen, row: number): void {
  screen.row = Math.max(0, Math.min(row, screen.rows.length - 1));
  screen.overwrite = true;
}

function eraseBelow(screen: Screen): void {
  screen.rows.length = screen.row + 1;
  if (screen.overwrite) screen.rows[screen.row] = '';
}

function lineBreak(screen: Screen, keptRows: number, visit: (line: string) => void): void {
  screen.row++;
  screen.overwrite = screen.row < screen.rows.length;
  if (!screen.overwrite) screen.rows.push('');
  if (screen.rows.length <= 2 * keptRows + 1) return;
  const settled = screen.rows.length - 1 - keptRows;
  for (const line of screen.rows.splice(0, settled)) visit(line);
  screen.row = Math.max(0, screen.row - settled);
}

function flush(screen: Screen, visit: (line: string) => void): void {
  const last = screen.rows.pop() ?? '';
  for (const line of screen.rows) visit(line);
  if (last !== '') visit(last);
  screen.rows = [''];
  screen.row = 0;
  screen.overwrite = false;
}
