const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/**
 * Goes over a line outside of quotes and brackets. `at` gets every such place and ends the walk by saying true. Gives where it
 * ended; the length of the text when it came to the end, -1 when brackets or quotes do not fit each other.
 */
export function walk(text: string, from: number, at: (index: number) => boolean): number {
  const open: string[] = [];
  let quote = '';
  for (let index = from; index < text.length; index += 1) {
    const char = text.charAt(index);
    if (quote !== '') {
      if (char === '\\') index += 1;
      else if (char === quote) quote = '';
      continue;
    }
    if (open.length === 0 && at(index)) return index;
    if (char === '"' || char === '`' || (char === "'" && !isLifetime(text, index))) quote = char;
    else if (closing[char] !== undefined) open.push(closing[char]);
    else if (`)]}`.includes(char) && open.pop() !== char) return -1;
  }
  return quote === '' && open.length === 0 ? text.length : -1;
}

/** `&'a str` of Rust, and `don't` in a comment. */
export function isLifetime(text: string, index: number): boolean {
  return /[\w&<]/.test(text.charAt(index - 1)) && !text.slice(index + 1).includes("'");
}

/** Where the bracket at an index is closed, or -1. */
export function closeOf(text: string, from: number): number {
  const end = walk(text, from + 1, (index) => `)]}`.includes(text.charAt(index)));
  return end >= 0 && end < text.length && text.charAt(end) === closing[text.charAt(from)]
    ? end
    : -1;
}

/** Parts between commas, trimmed; null when brackets or quotes do not fit. */
export function parts(text: string): readonly string[] | null {
  const cuts: number[] = [];
  const end = walk(text, 0, (index) => {
    if (text.charAt(index) === ',') cuts.push(index);
    return false;
  });
  if (end === -1) return null;
  return [...cuts, text.length].map((cut, index) =>
    text.slice(index === 0 ? 0 : (cuts[index - 1] ?? 0) + 1, cut).trim(),
  );
}
