import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { scenarios } from '../../scripts/torture/plan.ts';
import { runRound } from '../../scripts/torture/run-round.ts';
import { whyNot } from '../../scripts/torture/stories.ts';

const isFull = process.env['LOOPWRIGHT_TEST_FULL'] === '1';
const entry = path.resolve(import.meta.dirname, '../../bin/loopwright.cjs');

/** One seed that never changes and one of the day; `LOOPWRIGHT_TEST_DAY` chooses another day. */
const today = process.env['LOOPWRIGHT_TEST_DAY'] ?? String(Math.floor(Date.now() / 86_400_000));
const seeds = isFull ? ['1', '2', '3', '4', '5', `day-${today}`] : ['1'];
const rounds = scenarios.flatMap((scenario) => {
  // The store is locked for 20 s, which is as long as all others take.
  if (scenario === 'lock' && !isFull) return [];
  return seeds.map((seed) => ({ scenario, seed }));
});
// Without the full run, those that hit the most get the seed of the day as well.
const ofToday = isFull
  ? []
  : (['twice', 'merge', 'family'] as const).map((scenario) => ({
      scenario,
      seed: `day-${today}`,
    }));

describe('an engine that is hit again and again, with a person who commits meanwhile', () => {
  it.for([...rounds, ...ofToday])(
    '$scenario, seed $seed: nothing is lost, nothing is repeated, nothing of the user has changed',
    { timeout: 300_000 },
    async ({ scenario, seed }, { skip }) => {
      const reason = whyNot(scenario);
      if (reason !== null) skip(reason);
      const { findings } = await runRound(scenario, seed, { entry });
      expect(findings).toEqual([]);
    },
  );
});
