/** The value below which this share of all lies: 0.5 for the middle one. */
export function shareOf(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;
}
