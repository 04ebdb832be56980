import { expect, it } from 'vitest';
import { createFixed } from '../../../src/core/strategy/fixed.ts';
import { completed } from './summary.ts';
import { shows } from '../../support/shows.ts';

it('continues, continues and stops with three iterations', async () => {
  shows('003.fixed-continues', '003.fixed-stops', '003.fixed-reason', '003.check-fixed');
  const fixed = createFixed({ iterations: 3 });
  const decisions = [1, 2, 3].map(async (iteration) =>
    fixed.onIterationComplete(completed(iteration)),
  );
  expect(await Promise.all(decisions)).toEqual([
    { continue: true, reason: 'Iteration 1 of 3 did not pass, going on' },
    { continue: true, reason: 'Iteration 2 of 3 did not pass, going on' },
    { continue: false, reason: 'Fixed number of iterations (3) reached' },
  ]);
});

it('counts the iterations that counted, not their numbers', async () => {
  const event = completed(5, { totalIterations: 2 });
  expect((await createFixed({ iterations: 3 }).onIterationComplete(event)).continue).toBe(true);
});

it('stops early on a pass', async () => {
  shows('003.fixed-early', '003.check-fixed-early');
  const event = completed(1, { verificationPassed: true });
  const decision = await createFixed({ iterations: 5 }).onIterationComplete(event);
  expect(decision).toEqual({
    continue: false,
    reason: 'Verification passed',
    metadata: { untilComplete: true },
  });
});

it('makes the stop of a pass at its last iteration final', async () => {
  const event = completed(3, { verificationPassed: true });
  const decision = await createFixed({ iterations: 3 }).onIterationComplete(event);
  expect(decision).toEqual({ continue: false, reason: 'Verification passed' });
});
