/** Units of a size, largest first, in steps of 1024. */
const units = [
  ['tb', 1024 ** 4],
  ['gb', 1024 ** 3],
  ['mb', 1024 ** 2],
  ['kb', 1024],
  ['b', 1],
] as const;

/** `10gb`, `512mb`: a whole number and one unit. */
export const byteSizePattern = /^\d{1,9}(?:b|kb|mb|gb|tb)$/;

/** Bytes of a size text; null when it is not one. */
export function parseByteSize(text: string): number | null {
  if (!byteSizePattern.test(text)) return null;
  const unit = units.find(([name]) => text.endsWith(name));
  if (unit === undefined) return null;
  const bytes = Number(text.slice(0, -unit[0].length)) * unit[1];
  return Number.isSafeInteger(bytes) ? bytes : null;
}

/** A text that `parseByteSize` reads back as the same number of bytes. */
export function formatByteSize(bytes: number): string {
  const unit = units.find(([, size]) => bytes >= size && bytes % size === 0);
  return unit === undefined ? `${bytes}b` : `${bytes / unit[1]}${unit[0]}`;
}
