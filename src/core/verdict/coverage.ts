/** How tools print the coverage of everything, by what the line starts with. All of them give percent. */
const totals: readonly RegExp[] = [
  // Istanbul, c8, jest, vitest: `All files | 85.71 | ...`, the first column is statements.
  /^All files[ \t]{0,40}\|[ \t]{0,20}(\d{1,3}(?:\.\d{1,4})?)/,
  // coverage.py: `TOTAL   120   6   95%`.
  /^TOTAL[ \t][\d \t]{1,80}[ \t](\d{1,3}(?:\.\d{1,4})?)%/,
  // go test -cover: `coverage: 75.0% of statements`; with the package in front of it in a plain run.
  /\bcoverage: (\d{1,3}(?:\.\d{1,4})?)% of statements/,
  // node --test: `# all files | 66.67 | ...`.
  /^[#ℹ] all files[ \t]{0,40}\|[ \t]{0,20}(\d{1,3}(?:\.\d{1,4})?)/i,
  // cargo tarpaulin: `75.00% coverage, 3/4 lines covered`.
  /^(\d{1,3}(?:\.\d{1,4})?)% coverage, /,
];

const maxLineChars = 400;
/** Totals stand at the end. */
const keptChars = 64 * 1024;

/** Coverage in percent as plain output says it; the last total counts, null when there is none. */
export function readCoverage(output: string): number | null {
  let found: number | null = null;
  for (const line of output.slice(-keptChars).split('\n')) {
    const head = line.slice(0, maxLineChars).trim();
    const match = totals.map((pattern) => pattern.exec(head)).find((each) => each !== null);
    if (match !== undefined) found = Math.min(100, Number(match?.[1]));
  }
  return found;
}
