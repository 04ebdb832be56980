/**
 * Marks as `-q -s` prints them, without a percentage, and with what the tests print between and behind them: where the
 * first stand, how many there are at most, and whether the last line has nothing else.
 */
type Quiet = { first: number | null; atMost: number; isLast: boolean };

export function createQuiet(): Quiet {
  return { first: null, atMost: 0, isLast: false };
}

export function addQuiet(quiet: Quiet, text: string, number: number): void {
  const marks = /^[.FEsxX]+/.exec(text)?.[0].length ?? 0;
  if (text !== '') quiet.isLast = marks === text.length;
  if (marks === 0) return;
  quiet.atMost += marks;
  if (quiet.isLast || text.startsWith('.')) quiet.first ??= number;
}

/** The first line of the run that the counts close, null when what stands above shows no run of that many tests. */
export function firstOf({ first, atMost, isLast }: Quiet, ran: number): number | null {
  return isLast && ran > 0 && ran <= atMost ? first : null;
}

/** The marks of `..F  [ 42%]`, with the file before them or not; empty for any other line. */
export function readMarks(text: string): string {
  if (!text.endsWith('%]')) return '';
  return /^(?:\S+ )?([.FEsxXpP]+) +\[ *\d+%\]$/.exec(text)?.[1] ?? '';
}
