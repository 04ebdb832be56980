import type { Iteration, Loop } from './loop.ts';

/** What a verdict on a loop rests on. Copied from facts as they are, so a later version folds them into the same. */
const judgedKeys = [
  'taskId',
  'status',
  'reason',
  'head',
  'baseline',
  'allowedViolations',
  'judgeApprovals',
  'proofAccepted',
  'asked',
  'consent',
  'mergedInto',
  'seq',
] as const satisfies readonly (keyof Loop)[];

const judgedIterationKeys = [
  'status',
  'outcome',
  'tree',
  'commit',
  'differsFromBase',
  'report',
  'tampered',
  'confirmation',
  'gates',
  'approvals',
  'refusal',
  'decision',
] as const satisfies readonly (keyof Iteration)[];

const mostNamed = 5;

/** In what the stored state of a loop says something else than its log; empty when both say the same. */
export function storedDifferences(stored: Loop, folded: Loop): readonly string[] {
  const found = [
    ...judgedKeys.flatMap((key) => difference(key, stored[key], folded[key])),
    ...workspaceDifferences(stored, folded),
    ...iterationDifferences(stored.iterations, folded.iterations),
  ];
  const more = found.length - mostNamed;
  return more > 0 ? [...found.slice(0, mostNamed), `${more} more`] : found;
}

/** Its path is another one where the project was moved to. */
function workspaceDifferences({ workspace: a }: Loop, { workspace: b }: Loop): readonly string[] {
  return (['branch', 'base', 'baseRef'] as const).flatMap((key) => difference(key, a[key], b[key]));
}

function iterationDifferences(
  stored: readonly Iteration[],
  folded: readonly Iteration[],
): readonly string[] {
  if (stored.length !== folded.length) {
    return [`${stored.length} iterations instead of ${folded.length}`];
  }
  return folded.flatMap((iteration, index) =>
    judgedIterationKeys.flatMap((key) =>
      difference(`${key} of iteration ${iteration.number}`, stored[index]?.[key], iteration[key]),
    ),
  );
}

function difference(name: string, stored: unknown, folded: unknown): readonly string[] {
  if (stored === folded || asText(stored) === asText(folded)) return [];
  return isPlain(stored) && isPlain(folded)
    ? [`${name} ${String(stored)} instead of ${String(folded)}`]
    : [name];
}

/** Keys in a fixed order: that of stored JSON is not that of a fold. */
function asText(value: unknown): string {
  return JSON.stringify(value ?? null, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}

function isPlain(value: unknown): boolean {
  return value === null || typeof value === 'string' || typeof value === 'number';
}
