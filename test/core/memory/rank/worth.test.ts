import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { statusFromVotes } from '../../../../src/core/memory/votes.ts';
import { isWithheld } from '../../../../src/core/memory/rank/hold-out.ts';
import { estimateLift } from '../../../../src/core/memory/rank/lift.ts';
import {
  helpfulBound,
  recencyOf,
  voteOf,
  worthFactor,
  worthOf,
} from '../../../../src/core/memory/rank/worth.ts';
import { shows } from '../../../support/shows.ts';

const day = 86_400_000;
const now = 1_800_000_000_000;
const kindOf = (index: number) => (index < 4 ? 'useful' : index < 8 ? 'harmful' : 'useless');
const check = (name: string, passed: boolean | null) => ({ name, passed });

test('a check that turned green votes helpful, one that turned red harmful, and red wins', () => {
  expect(voteOf([check('a', false)], [check('a', true)])).toBe('helpful');
  expect(voteOf([check('a', true)], [check('a', false)])).toBe('harmful');
  expect(voteOf([check('a', false), check('b', true)], [check('a', true), check('b', false)])).toBe(
    'harmful',
  );
});

test('checks that stayed, came, went or prove nothing do not vote', () => {
  expect(voteOf([check('a', true)], [check('a', true)])).toBeNull();
  expect(voteOf([], [check('a', false)])).toBeNull();
  expect(voteOf([check('a', false)], [])).toBeNull();
  expect(voteOf([check('a', null)], [check('a', true)])).toBeNull();
});

test('worth grows with helpful votes, falls with harmful ones, with age and when files changed', () => {
  shows('001.learnings-newer-first');
  const counts = fc.record({ helpful: fc.nat(1000), harmful: fc.nat(1000) });
  fc.assert(
    fc.property(counts, fc.nat(2000), (votes, days) => {
      const evidence = { ...votes, usedAt: now - days * day, isStale: false };
      const worth = worthOf(evidence, { now });
      expect(worth).toBeGreaterThanOrEqual(0);
      expect(worth).toBeLessThanOrEqual(1);
      const more = { ...evidence, helpful: votes.helpful + 1 };
      const worse = { ...evidence, harmful: votes.harmful + 1 };
      expect(worthOf(more, { now })).toBeGreaterThanOrEqual(worth);
      expect(worthOf(worse, { now })).toBeLessThanOrEqual(worth);
      expect(worthOf({ ...evidence, usedAt: evidence.usedAt - day }, { now })).toBeLessThanOrEqual(
        worth,
      );
      expect(worthOf({ ...evidence, isStale: true }, { now })).toBeLessThanOrEqual(worth);
      const factor = worthFactor(evidence, { now });
      expect(factor).toBeGreaterThanOrEqual(0.25);
      expect(factor).toBeLessThanOrEqual(2);
    }),
  );
});

test('few votes prove less than many of the same kind', () => {
  expect(helpfulBound({ helpful: 2, harmful: 0 })).toBeLessThan(
    helpfulBound({ helpful: 20, harmful: 0 }),
  );
  expect(recencyOf(now - 90 * day, { now })).toBeCloseTo(0.5);
  expect(worthFactor({ helpful: 0, harmful: 0, usedAt: 0, isStale: false }, { now })).toBe(1);
});

test('one in ten is withheld, always the same ones', () => {
  let withheld = 0;
  for (let i = 0; i < 20_000; i++) {
    const answer = isWithheld('loop-1', i % 50, `l-${i}`);
    if (answer !== isWithheld('loop-1', i % 50, `l-${i}`)) throw new Error('another answer');
    if (answer) withheld++;
  }
  expect(withheld / 20_000).toBeGreaterThan(0.09);
  expect(withheld / 20_000).toBeLessThan(0.11);
});

test('a lift needs data on both sides, and lies within its interval', () => {
  expect(estimateLift([]).kind).toBe('not-enough-data');
  const trial = fc.record({ withheld: fc.boolean(), succeeded: fc.boolean() });
  fc.assert(
    fc.property(fc.array(trial, { maxLength: 200 }), (trials) => {
      const lift = estimateLift(trials);
      expect(lift.given + lift.withheld).toBe(trials.length);
      if (lift.kind !== 'measured') return;
      expect(lift.low).toBeGreaterThanOrEqual(-1);
      expect(lift.high).toBeLessThanOrEqual(1);
      expect(lift.low).toBeLessThanOrEqual(lift.lift);
      expect(lift.high).toBeGreaterThanOrEqual(lift.lift);
    }),
  );
});

/**
 * An agent whose iterations turn the failing check green with a chance that depends on what it was given. Useful
 * learnings raise it, harmful ones turn a green check red, the rest do nothing.
 */
test('useful learnings rise, useless and harmful ones sink, and the estimated lift comes near the truth', () => {
  const items = Array.from({ length: 16 }, (_, index) => ({
    id: `l-${index}`,
    kind: kindOf(index),
    helpful: 0,
    harmful: 0,
    status: 'candidate' as 'candidate' | 'active' | 'demoted' | 'pruned',
    byHand: false,
  }));
  const trials: { learningId: string; withheld: boolean; succeeded: boolean }[] = [];
  let seed = 12_345;
  const chance = (): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
  for (let iteration = 1; iteration <= 6000; iteration++) {
    // Each task meets one learning, as a search for it would find it.
    const item = items[iteration % items.length]!;
    if (item.status === 'demoted') continue;
    const withheld = isWithheld('loop-a', iteration, item.id);
    const given = withheld ? 'none' : item.kind;
    const turnsGreen = chance() < (given === 'useful' ? 0.8 : 0.3);
    const turnsRed = chance() < (given === 'harmful' ? 0.5 : 0.02);
    const before = [check('tests', false), check('lint', true)];
    const vote = voteOf(before, [check('tests', turnsGreen), check('lint', !turnsRed)]);
    const succeeded = vote === 'helpful';
    trials.push({ learningId: item.id, withheld, succeeded });
    if (withheld || vote === null) continue;
    item[vote]++;
    item.status = statusFromVotes(item, 30);
  }
  const bounds = (kind: string) => items.filter((item) => item.kind === kind).map(helpfulBound);
  expect(Math.min(...bounds('useful'))).toBeGreaterThan(Math.max(...bounds('harmful')));
  expect(
    items.filter(({ status }) => status === 'demoted').every(({ kind }) => kind !== 'useful'),
  ).toBe(true);
  expect(
    items.filter(({ kind }) => kind === 'harmful').every(({ status }) => status === 'demoted'),
  ).toBe(true);
  const usefulIds = new Set(items.filter(({ kind }) => kind === 'useful').map(({ id }) => id));
  const uselessIds = new Set(items.filter(({ kind }) => kind === 'useless').map(({ id }) => id));
  const useful = estimateLift(trials.filter(({ learningId }) => usefulIds.has(learningId)));
  const useless = estimateLift(trials.filter(({ learningId }) => uselessIds.has(learningId)));
  if (useful.kind !== 'measured' || useless.kind !== 'measured') throw new Error('too few trials');
  // 0.8 against 0.3, less the two in a hundred that turn red: about 0.49.
  expect(useful.low).toBeGreaterThan(0.3);
  expect(Math.abs(useful.lift - 0.49)).toBeLessThan(0.15);
  expect(useless.low).toBeLessThan(0);
  expect(useless.high).toBeGreaterThan(0);
});
