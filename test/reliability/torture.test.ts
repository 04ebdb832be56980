import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { scenarios, type ScenarioName } from '../../scripts/torture/plan.ts';
import { runRound } from '../../scripts/torture/run-round.ts';
import { whyNot } from '../../scripts/torture/stories.ts';

const isFull = process.env['LOOPWRIGHT_TEST_FULL'] === '1';
const entry = path.resolve(import.meta.dirname, '../../bin/loopwright.cjs');

/** What hits the most is other each day; `LOOPWRIGHT_TEST_DAY` chooses another day. */
const today = process.env['LOOPWRIGHT_TEST_DAY'] ?? String(Math.floor(Date.now() / 86_400_000));
const ofToday: ReadonlySet<ScenarioName> = new Set(['twice', 'merge', 'rebase']);
const rounds = isFull
  ? scenarios.flatMap((scenario) =>
      ['1', '2', '3', '4', '5', `day-${today}`].map((seed) => ({ scenario, seed })),
    )
  : scenarios
      // The store is locked for 20 s.
      .filter((scenario) => scenario !== 'lock')
      .map((scenario) => ({ scenario, seed: ofToday.has(scenario) ? `day-${today}` : '1' }));
const mostBlows = isFull ? 10 : 2;

describe('an engine that is hit again and again, with a person who commits meanwhile', () => {
  it.for(rounds)(
    '$scenario, seed $seed: nothing is lost, nothing is repeated, nothing of the user has changed',
    { timeout: 300_000 },
    async ({ scenario, seed }, { skip }) => {
      const reason = whyNot(scenario);
      if (reason !== null) skip(reason);
      const { findings } = await runRound(scenario, seed, { entry, mostBlows });
      expect(findings).toEqual([]);
    },
  );
});
