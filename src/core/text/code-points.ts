/** Number of code points. A lone surrogate counts as one. */
export function countChars(text: string): number {
  let count = text.length;
  for (let i = 1; i < text.length; i++) {
    if (isPair(text, i - 1)) {
      count--;
      i++;
    }
  }
  return count;
}

/** The first `max` code points of the text; a surrogate pair is never split. */
export function headChars(text: string, max: number): string {
  if (text.length <= max) return text;
  let end = 0;
  for (let left = Math.floor(max); left > 0 && end < text.length; left--) {
    end += isPair(text, end) ? 2 : 1;
  }
  return text.slice(0, end);
}

/** The last `max` code points of the text; a surrogate pair is never split. */
export function tailChars(text: string, max: number): string {
  if (text.length <= max) return text;
  let start = text.length;
  for (let left = Math.floor(max); left > 0 && start > 0; left--) {
    start -= isPair(text, start - 2) ? 2 : 1;
  }
  return text.slice(start);
}

function isPair(text: string, index: number): boolean {
  if (index < 0) return false;
  const high = text.charCodeAt(index);
  if (high < 0xd800 || high > 0xdbff) return false;
  const low = text.charCodeAt(index + 1);
  return low >= 0xdc00 && low <= 0xdfff;
}
