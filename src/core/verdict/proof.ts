/**
 * How well a completion is shown.
 *
 * - `red-green`: a check that ran and failed on the base passes now.
 * - `red-first`: the base was green; tests that the loop added fail on the base's code and pass now.
 * - `unproven`: the checks pass, and nothing shows that they would not without the work.
 */
export const proofs = ['red-green', 'red-first', 'unproven'] as const;
export type Proof = (typeof proofs)[number];
