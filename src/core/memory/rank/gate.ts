/** Signs of whether the best matches are likely to help, each comparable between stores of any size. */
export type Signs = {
  /** Share of the query's weight that stands in paths the store knows. */
  readonly knownInPaths: number;
  /** Weight of project-specific words the best five share with the query. */
  readonly specific: number;
  /** Weight of the query's words the store has never seen. */
  readonly unknown: number;
  /** Score of the best match. */
  readonly best: number;
  /** Share of the query's weight found in the paths of the best five. */
  readonly inPaths: number;
};

const bias = -2.67;
const coefficients: Readonly<Record<keyof Signs, number>> = {
  knownInPaths: 1.17,
  specific: 1.01,
  unknown: -0.59,
  best: 4.48,
  inPaths: 3.99,
};

/** 0..1: how likely giving the best matches is better than giving nothing. */
export function likelihood(signs: Signs): number {
  const { knownInPaths, specific, unknown, best, inPaths } = coefficients;
  const sum =
    bias +
    knownInPaths * signs.knownInPaths +
    specific * signs.specific +
    unknown * signs.unknown +
    best * signs.best +
    inPaths * signs.inPaths;
  return 1 / (1 + Math.exp(-sum));
}

/** A little below even: what is given in vain costs a few lines, what is missing may cost an iteration. */
const threshold = 0.4;

/** Whether to give the best matches at all. */
export function isLikely(value: number): boolean {
  return value > threshold;
}
