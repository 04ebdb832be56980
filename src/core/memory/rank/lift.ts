/** An eligible learning and an iteration: was it given or withheld, and did the checks get better? */
export type Trial = {
  readonly learningId: string;
  readonly withheld: boolean;
  /** The verification passed, or a failing check turned green and none red. */
  readonly succeeded: boolean;
};

/** How much more often iterations succeed with a learning than without it, −1..1, and where that lies with 95 % certainty. */
export type Lift =
  | {
      readonly kind: 'measured';
      readonly lift: number;
      readonly low: number;
      readonly high: number;
      readonly given: number;
      readonly withheld: number;
    }
  | { readonly kind: 'not-enough-data'; readonly given: number; readonly withheld: number };

/** Below this on either side an estimate is noise. */
const fewest = 10;
const z = 1.96;

/** The difference of two shares with the interval of Newcombe: of use for small numbers, always within −1..1. */
export function estimateLift(trials: readonly Omit<Trial, 'learningId'>[]): Lift {
  const given = countSide(trials, false);
  const withheld = countSide(trials, true);
  const counts = { given: given.total, withheld: withheld.total };
  if (given.total < fewest || withheld.total < fewest)
    return { kind: 'not-enough-data', ...counts };
  const [a, b] = [wilson(given), wilson(withheld)];
  const lift = a.share - b.share;
  const low = lift - Math.hypot(a.share - a.low, b.high - b.share);
  const high = lift + Math.hypot(a.high - a.share, b.share - b.low);
  return { kind: 'measured', lift, low: Math.max(-1, low), high: Math.min(1, high), ...counts };
}

/** The lift of each learning, those with the most trials first. */
export function liftPerLearning(
  trials: readonly Trial[],
): readonly { readonly learningId: string; readonly lift: Lift }[] {
  const groups = Map.groupBy(trials, ({ learningId }) => learningId);
  return [...groups]
    .toSorted(([a, left], [b, right]) => right.length - left.length || (a < b ? -1 : 1))
    .map(([learningId, own]) => ({ learningId, lift: estimateLift(own) }));
}

type Side = { readonly total: number; readonly successes: number };

function countSide(trials: readonly Omit<Trial, 'learningId'>[], withheld: boolean): Side {
  const side = trials.filter((trial) => trial.withheld === withheld);
  return { total: side.length, successes: side.filter(({ succeeded }) => succeeded).length };
}

function wilson({ total, successes }: Side): { share: number; low: number; high: number } {
  const share = successes / total;
  const centre = (share + (z * z) / (2 * total)) / (1 + (z * z) / total);
  const half =
    (z * Math.sqrt((share * (1 - share)) / total + (z * z) / (4 * total * total))) /
    (1 + (z * z) / total);
  return { share, low: Math.max(0, centre - half), high: Math.min(1, centre + half) };
}
