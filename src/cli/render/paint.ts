const codes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const;

export type Style = keyof typeof codes;

export type Paint = (style: Style, text: string) => string;

/** Colours text for a terminal, or leaves it as it is. */
export function createPaint(hasColour: boolean): Paint {
  if (!hasColour) return (_style, text) => text;
  return (style, text) => {
    const [on, off] = codes[style];
    return text === '' ? '' : `\u001B[${on}m${text}\u001B[${off}m`;
  };
}
