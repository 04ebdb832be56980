/** Columns a character takes: 2 for the wide scripts and most emoji, 0 for what combines with the one before. */
const wide: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f900, 0x1f9ff],
  [0x20000, 0x3fffd],
];

const combining: readonly (readonly [number, number])[] = [
  [0x0300, 0x036f],
  [0x1ab0, 0x1aff],
  [0x1dc0, 0x1dff],
  [0x20d0, 0x20ff],
  [0xfe00, 0xfe0f],
  [0xfe20, 0xfe2f],
];

/** Columns of a text without control characters. */
export function textWidth(text: string): number {
  let width = 0;
  for (const char of text) width += charWidth(char);
  return width;
}

/** The text cut to so many columns, the cut marked by an ellipsis. */
export function cutToWidth(text: string, columns: number): string {
  if (text.length <= columns && isPlain(text)) return text;
  let width = 0;
  let kept = '';
  let lastFit = '';
  for (const char of text) {
    width += charWidth(char);
    if (width > columns) return columns > 0 ? `${lastFit}…` : '';
    kept += char;
    if (width <= columns - 1) lastFit = kept;
  }
  return text;
}

/** Padded on the right to so many columns. */
export function padToWidth(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - textWidth(text)));
}

function isPlain(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) >= 0x300) return false;
  return true;
}

function charWidth(char: string): number {
  const point = char.codePointAt(0) ?? 0;
  if (point < 0x300) return 1;
  if (isIn(combining, point)) return 0;
  return isIn(wide, point) ? 2 : 1;
}

function isIn(ranges: readonly (readonly [number, number])[], point: number): boolean {
  return ranges.some(([first, last]) => point >= first && point <= last);
}
