/**
 * File names are bytes, our paths are strings. Bytes that are not UTF-8 become lone surrogates U+DC80–U+DCFF and come
 * back unchanged, so every name git can hold survives the way to the engine and back.
 */
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function decodePath(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    return decodeWithEscapes(bytes);
  }
}

export function encodePath(path: string): Buffer {
  if (path.isWellFormed()) return Buffer.from(path, 'utf8');
  const parts: Buffer[] = [];
  for (const character of path) {
    const code = character.codePointAt(0) ?? 0;
    const escaped = code >= 0xdc80 && code <= 0xdcff;
    parts.push(escaped ? Buffer.from([code - 0xdc00]) : Buffer.from(character, 'utf8'));
  }
  return Buffer.concat(parts);
}

/** What the `fs` functions take for this path: its exact bytes when a string cannot carry them. */
export function filePath(root: string, relative: string): string | Buffer {
  if (relative.isWellFormed()) return `${root}/${relative}`;
  return Buffer.concat([Buffer.from(`${root}/`, 'utf8'), encodePath(relative)]);
}

/** NUL-separated records of a `-z` output, without the empty piece after the last NUL. */
export function splitRecords(output: Uint8Array): readonly string[] {
  const records: string[] = [];
  let start = 0;
  for (let end = output.indexOf(0); end !== -1; end = output.indexOf(0, start)) {
    records.push(decodePath(output.subarray(start, end)));
    start = end + 1;
  }
  if (start < output.length) records.push(decodePath(output.subarray(start)));
  return records;
}

/** The other way: paths as input for a command that reads `-z --stdin`. */
export function joinRecords(records: readonly string[]): Buffer {
  const nul = Buffer.from([0]);
  return Buffer.concat(records.flatMap((record) => [encodePath(record), nul]));
}

function decodeWithEscapes(bytes: Uint8Array): string {
  let text = '';
  let at = 0;
  while (at < bytes.length) {
    const length = sequenceLength(bytes[at] ?? 0);
    const decoded = length === 0 ? null : tryDecode(bytes.subarray(at, at + length));
    text += decoded ?? String.fromCharCode(0xdc00 + (bytes[at] ?? 0));
    at += decoded === null ? 1 : length;
  }
  return text;
}

function sequenceLength(first: number): number {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return 2;
  if (first >= 0xe0 && first <= 0xef) return 3;
  if (first >= 0xf0 && first <= 0xf4) return 4;
  return 0;
}

function tryDecode(bytes: Uint8Array): string | null {
  try {
    return strict.decode(bytes);
  } catch {
    return null;
  }
}
