import { describe, expect, it } from 'vitest';
import { createHybrid } from '../../../src/core/strategy/hybrid.ts';
import { completed, summary } from './summary.ts';
import { shows } from '../../support/shows.ts';

const hybrid = createHybrid({ base: 3, bonus: 2, threshold: 0.1 });

/** The decision after iterations whose single check scored as given; null stands for no report. */
async function decide(...scores: (number | null)[]) {
  const iterations = scores.map((score, index) =>
    summary({ iteration: index + 1, checkScores: score === null ? {} : { 'L1/test': score } }),
  );
  const current = iterations.at(-1) ?? summary();
  return hybrid.onIterationComplete(
    completed(iterations.length, {
      verificationPassed: false,
      current,
      previousIterations: iterations.slice(0, -1),
    }),
  );
}

describe('hybrid with levels', () => {
  it('runs the base iterations whatever the level does', async () => {
    shows('003.hybrid-base');
    expect((await decide(0.5)).continue).toBe(true);
    expect((await decide(0.5, 0.1)).continue).toBe(true);
  });

  it('gives a bonus for a rise of a tenth, in spite of binary fractions', async () => {
    shows('003.hybrid-bonus', '003.hybrid-metadata', '003.hybrid-doubt');
    expect(await decide(0.2, 0.2, 0.3)).toEqual({
      continue: true,
      reason: 'Progress, bonus iteration 1 of 2',
      metadata: { bonusUsed: 1 },
    });
  });

  it('gives none for a smaller rise', async () => {
    shows('003.hybrid-no-progress', '003.hybrid-doubt');
    expect(await decide(0.2, 0.2, 0.29)).toEqual({
      continue: false,
      reason: 'No progress, no bonus iteration',
      metadata: { bonusUsed: 0 },
    });
  });

  it('compares with the best so far, not with the last', async () => {
    expect((await decide(0.8, 0.1, 0.5)).continue).toBe(false);
  });

  it('never runs more than base and bonus iterations', async () => {
    shows('003.hybrid-bonus-cap');
    expect((await decide(0, 0.1, 0.3, 0.6)).continue).toBe(true);
    expect((await decide(0, 0.1, 0.3, 0.6, 0.9)).reason).toBe('All bonus iterations (2) used');
  });
});

describe('hybrid without a report', () => {
  it('uses base and then bonus iterations while the agent succeeds', async () => {
    shows('003.check-hybrid');
    const small = createHybrid({ base: 2, bonus: 2, threshold: 0.1 });
    const past = [1, 2, 3].map((iteration) => summary({ iteration }));
    const decisions = await Promise.all(
      [1, 2, 3, 4].map(async (iteration) =>
        small.onIterationComplete(
          completed(iteration, { previousIterations: past.slice(0, iteration - 1) }),
        ),
      ),
    );
    expect(decisions.map((decision) => decision.continue)).toEqual([true, true, true, false]);
  });

  it.each([
    { before: true, now: true, goesOn: true },
    { before: false, now: true, goesOn: true },
    { before: false, now: false, goesOn: true },
    { before: true, now: false, goesOn: false },
  ])('agent success $before then $now: goes on $goesOn', async ({ before, now, goesOn }) => {
    shows('003.hybrid-agent-breaks');
    const event = completed(3, {
      agentSuccess: now,
      previousIterations: [summary({ iteration: 2, agentSuccess: before })],
    });
    expect((await hybrid.onIterationComplete(event)).continue).toBe(goesOn);
  });
});
