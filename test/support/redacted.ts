import { createRedaction } from '../../src/core/redact/redactor.ts';

/** The chunks as one text; every character stands for a byte. */
export function redacted(secrets: readonly string[], ...chunks: (string | Buffer)[]): string {
  const redactor = createRedaction(secrets).stream();
  const parts = [
    ...chunks.flatMap((chunk) =>
      redactor.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk),
    ),
    ...redactor.end(),
  ];
  return Buffer.concat(parts).toString('latin1');
}

/** The data in pieces that end at these places. */
export function cut(data: Buffer, places: readonly number[]): Buffer[] {
  const at = [...new Set(places.map((place) => place % (data.length + 1)))].toSorted(
    (a, b) => a - b,
  );
  return [0, ...at].map((start, index) => data.subarray(start, at[index] ?? data.length));
}
