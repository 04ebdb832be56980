import { hashHalves } from '../../hash.ts';

/**
 * Whether an eligible learning is withheld from an iteration, so that what it is worth can be measured. Decided by
 * the ids alone: asked again, the answer is the same, and `prompt render` is exact.
 */
export function isWithheld(
  loopId: string,
  iteration: number,
  learningId: string,
  share = 0.1,
): boolean {
  const { high } = hashHalves(`hold-out\n${loopId}\n${iteration}\n${learningId}`);
  return high / 2 ** 32 < share;
}
