import { hashHalves } from '../hash.ts';

/**
 * Whether an eligible learning is withheld from an iteration, so that its worth can be measured. Decided by a hash of
 * the three, so the prompt of an iteration is known before it is built, and the same however often it is.
 */
export function isWithheld(
  loopId: string,
  iteration: number,
  learningId: string,
  share: number,
): boolean {
  const { high } = hashHalves(`hold-out ${loopId} ${iteration} ${learningId}`);
  return (high >>> 0) / 2 ** 32 < share;
}
