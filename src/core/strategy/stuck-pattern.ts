import type { IterationSummary } from './strategy.ts';

/**
 * Names the repetition that the newest iteration completes, as one sentence; null when there is none.
 * Only iterations with a snapshot take part: without one nothing is known of the files.
 */
export function stuckPattern(iterations: readonly IterationSummary[]): string | null {
  const recent = iterations.slice(-5);
  if (sameFailureOnSameTree(recent)) {
    return 'Two successive iterations ended with the same files and the same failure.';
  }
  const prints = recent.map(fingerprint);
  if (alternates(prints)) return 'The last four iterations went back and forth between two states.';
  if (countOfLast(prints) >= 3) {
    return 'Three of the last five iterations ended with the same files and the same failing checks.';
  }
  return null;
}

function sameFailureOnSameTree(recent: readonly IterationSummary[]): boolean {
  const last = recent.at(-1);
  const before = recent.at(-2);
  if (last === undefined || before === undefined) return false;
  if (last.tree === null || last.tree !== before.tree) return false;
  return last.signatures.length > 0 && signatureKey(last) === signatureKey(before);
}

function signatureKey(summary: IterationSummary): string {
  return JSON.stringify(summary.signatures.map((each) => each.exact).toSorted());
}

function fingerprint({ tree, failures }: IterationSummary): string | null {
  return tree === null ? null : JSON.stringify([tree, ...failingChecks(failures)]);
}

/** Failing tests are listed as `check: test` beside their check; which of them fail may vary on one tree. */
function failingChecks(failures: readonly string[]): readonly string[] {
  const names = new Set(failures);
  return failures.filter((each) => {
    const end = each.indexOf(': ');
    return end < 0 || !names.has(each.slice(0, end));
  });
}

function alternates(prints: readonly (string | null)[]): boolean {
  const [a, b, c, d] = prints.slice(-4);
  if (a === undefined || b === undefined || a === null || b === null || a === b) return false;
  return a === c && b === d;
}

function countOfLast(prints: readonly (string | null)[]): number {
  const last = prints.at(-1) ?? null;
  return last === null ? 0 : prints.filter((each) => each === last).length;
}
