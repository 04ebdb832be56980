/** What the YAML block behind a test point says, as far as it is of use. */
export type TapDiagnostic = {
  message: string;
  durationMs: number | null;
  /** node:test writes the kind of each point. */
  type: string | null;
  readonly indent: number;
  /** Indentation of the key whose value is being read over several lines. */
  blockIndent: number | null;
};

export function createDiagnostic(indent: number): TapDiagnostic {
  return { message: '', durationMs: null, type: null, indent, blockIndent: null };
}

/** Takes one line of the block; the first `error` or `message` is the message. */
export function readDiagnosticLine(diagnostic: TapDiagnostic, text: string, indent: number): void {
  if (diagnostic.blockIndent !== null) {
    if (indent > diagnostic.blockIndent || text.trim() === '') {
      if (diagnostic.message.length < 2000)
        diagnostic.message += `${text.slice(diagnostic.blockIndent + 2)}\n`;
      return;
    }
    diagnostic.blockIndent = null;
  }
  const match = /^ *(error|message|duration_ms|type): *(.*)$/.exec(text);
  if (match === null) return;
  const [, key, value = ''] = match;
  if (key === 'duration_ms') diagnostic.durationMs = Number.parseFloat(value) || 0;
  else if (key === 'type') diagnostic.type ??= unquote(value);
  else if (diagnostic.message.trim() === '') {
    if (/^[|>]/.test(value)) diagnostic.blockIndent = indent;
    else diagnostic.message = unquote(value);
  }
}

function unquote(value: string): string {
  const quote = value[0];
  if (quote !== "'" && quote !== '"') return value;
  const inner = value.endsWith(quote) && value.length > 1 ? value.slice(1, -1) : value.slice(1);
  return quote === "'"
    ? inner.replaceAll("''", "'")
    : inner.replaceAll('\\"', '"').replaceAll('\\n', '\n');
}
