import { expect, it } from 'vitest';
import { createManual } from '../../../src/core/strategy/manual.ts';
import { createUntilPass } from '../../../src/core/strategy/until-pass.ts';
import { completed } from './summary.ts';

it.each([false, null])('until-pass goes on when verification gave %s', async (passed) => {
  const decision = await createUntilPass().onIterationComplete(
    completed(99, { verificationPassed: passed }),
  );
  expect(decision).toEqual({ continue: true, reason: 'iteration 99 did not pass' });
});

it('until-pass stops on a pass, provided that the loop is complete', async () => {
  const decision = await createUntilPass().onIterationComplete(
    completed(1, { verificationPassed: true }),
  );
  expect(decision).toEqual({
    continue: false,
    reason: 'Verification passed',
    metadata: { untilComplete: true },
  });
});

it.each([true, false, null])('manual asks after a verification of %s', async (passed) => {
  const decision = await createManual().onIterationComplete(
    completed(4, { verificationPassed: passed }),
  );
  expect(decision).toEqual({
    continue: true,
    reason: 'Waiting for a decision on iteration 4',
    metadata: { ask: true },
  });
});
