/**
 * One form for all the ways a word can be written: capitals or not, composed or decomposed, full width or not. Through capitals
 * `ß` and `SS`, and through small letters the two small sigmas meet; the dot that only Turkish tells apart is left out.
 */
export function foldCase(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  return text
    .normalize('NFKC')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .replaceAll('i\u0307', 'i')
    .normalize('NFC');
}

/** Composed and in plain width, so that a mark does not part its word. */
export function composed(text: string): string {
  return isAscii(text) ? text : text.normalize('NFKC');
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}
