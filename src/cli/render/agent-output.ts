/** Lines an agent printed, as far as people can read them: of JSON only the text in it, and nothing where there is none. */
export function readableLines(lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => readableLine(line) ?? []);
}

const maxJsonChars = 100_000;
const textKeys = ['text', 'finalText', 'message', 'result', 'content'] as const;

function readableLine(line: string): string | null {
  const trimmed = line.trim();
  if (trimmed === '') return null;
  if (!trimmed.startsWith('{') || !trimmed.endsWith('}') || trimmed.length > maxJsonChars)
    return line;
  const value = parse(trimmed);
  if (typeof value !== 'object' || value === null) return line;
  const kind = 'kind' in value && typeof value.kind === 'string' ? `${value.kind} ` : '';
  for (const key of textKeys) {
    const text: unknown = Reflect.get(value, key);
    if (typeof text === 'string' && text.trim() !== '') return `${kind}${text}`;
  }
  return null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Braces alone make no JSON: the line is shown as it is.
    return null;
  }
}
