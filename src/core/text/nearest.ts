import { headChars } from './code-points.ts';

const longest = 64;

/**
 * The candidate a mistyped word most likely means, for "did you mean". Case and word separators do not count;
 * null when nothing is close. Ties go to the earlier candidate.
 */
export function nearest(word: string, candidates: Iterable<string>): string | null {
  const wanted = normalise(word);
  if (wanted === '') return null;
  let best: string | null = null;
  let bestDistance = Math.min(3, Math.ceil(wanted.length * 0.4)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, normalise(candidate), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

function normalise(word: string): string {
  return headChars(word, longest)
    .toLowerCase()
    .replaceAll(/[-_\s]/g, '');
}

/** Edits (insert, delete, replace, swap of neighbours) from a to b; `limit` or more is answered with `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let older: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(
        at(previous, column) + 1,
        at(current, column - 1) + 1,
        at(previous, column - 1) + (same ? 0 : 1),
      );
      if (row > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, at(older, column - 2) + 1);
      }
      current.push(cost);
    }
    older = previous;
    previous = current;
  }
  return Math.min(limit, at(previous, b.length));
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
