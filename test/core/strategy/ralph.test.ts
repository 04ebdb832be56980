import { describe, expect, it } from 'vitest';
import { noChanges } from '../../../src/core/loop/changes.ts';
import { createRalph } from '../../../src/core/strategy/ralph.ts';
import { iterationSimilarity, normaliseFailure } from '../../../src/core/strategy/similarity.ts';
import type { IterationSummary } from '../../../src/core/strategy/strategy.ts';
import { completed, modified, signature, summary } from './summary.ts';
import { shows } from '../../support/shows.ts';

const ralph = createRalph({ min: 2, max: 10, window: 3, threshold: 0.95 });

async function decide(...iterations: Partial<IterationSummary>[]) {
  const all = iterations.map((each, index) => summary({ iteration: index + 1, ...each }));
  return ralph.onIterationComplete(
    completed(all.length, {
      verificationPassed: false,
      current: all.at(-1) ?? summary(),
      previousIterations: all.slice(0, -1),
    }),
  );
}

const failing = (...tests: string[]) => ({
  failures: ['L1/test', ...tests.map((test) => `L1/test: ${test}`)],
});

const edit = (path: string, tree: string) => ({
  ...failing('a'),
  tree,
  changes: modified(path),
});

describe('ralph', () => {
  it('detects convergence of iterations with nothing to tell them apart', async () => {
    shows('003.ralph-converged', '003.ralph-metadata', '003.check-ralph');
    const decision = await decide({}, {}, {}, {}, {});
    expect(decision).toEqual({
      continue: false,
      reason: 'Convergence: the last 3 iterations are alike (1.00)',
      metadata: { converged: true, similarity: 1 },
    });
  });

  it('goes on below its minimum and before its window is full', async () => {
    shows('003.ralph-min', '003.ralph-window');
    expect((await decide({})).reason).toBe('Minimum of 2 iterations not reached (1)');
    expect((await decide({}, {})).reason).toBe('Fewer than 3 iterations to compare');
  });

  it('stops at its maximum although nothing converges', async () => {
    shows('003.ralph-max');
    const moving = Array.from({ length: 10 }, (_, index) => failing(`test ${index}`));
    expect((await decide(...moving)).reason).toBe('Maximum of 10 iterations reached');
  });

  it('goes on while the set of failing tests changes, though the pass flag never does', async () => {
    shows('003.ralph-same-flags');
    const decision = await decide(failing('a', 'b', 'c'), failing('a', 'b'), failing('a'));
    expect(decision.continue).toBe(true);
  });

  it('compares all pairs: one odd iteration in the window prevents convergence', async () => {
    expect((await decide(failing('a'), failing('b'), failing('a'))).continue).toBe(true);
    expect((await decide(failing('b'), failing('a'), failing('a'), failing('a'))).continue).toBe(
      false,
    );
  });

  it('goes on while the edits differ, though the failures stay', async () => {
    expect((await decide(edit('a.ts', '1'), edit('b.ts', '2'), edit('c.ts', '3'))).continue).toBe(
      true,
    );
  });

  it('stops on a pass', async () => {
    shows('003.ralph-pass');
    const event = completed(2, { verificationPassed: true });
    expect(await ralph.onIterationComplete(event)).toMatchObject({
      continue: false,
      reason: 'Verification passed',
    });
  });
});

describe('iterationSimilarity', () => {
  it('is 1 for iterations that ended on the same tree with the same failures', () => {
    const a = summary({ tree: 'x', changes: modified('a.ts'), ...failing('t') });
    const b = summary({ tree: 'x', changes: noChanges, ...failing('t') });
    expect(iterationSimilarity(a, b)).toBe(1);
  });

  it('is 0 when only one of them failed', () => {
    expect(iterationSimilarity(summary(failing('t')), summary())).toBe(0);
  });

  it('is the share of common failing tests', () => {
    const a = summary({ failures: ['a', 'b', 'c'] });
    const b = summary({ failures: ['b', 'c', 'd'] });
    expect(iterationSimilarity(a, b)).toBe(0.5);
  });

  it('tells the same file edited by a different number of lines apart', () => {
    const a = summary({ tree: '1', changes: { ...modified('a.ts'), lines: 3 } });
    const b = summary({ tree: '2', changes: { ...modified('a.ts'), lines: 90 } });
    expect(iterationSimilarity(a, b)).toBeCloseTo(1 / 3);
  });

  it('tells a failing check with another error apart', () => {
    const a = summary({ ...failing(), signatures: [{ exact: 'a', simhash: '0000000000000000' }] });
    const b = summary({ ...failing(), signatures: [{ exact: 'b', simhash: 'ffffffffffffffff' }] });
    expect(iterationSimilarity(a, b)).toBeLessThan(0.95);
    expect(iterationSimilarity(a, { ...b, signatures: [signature('a')] })).toBe(1);
  });
});

it.each([
  ['adds numbers (12 ms)', 'adds numbers'],
  ['adds numbers [0.03s]', 'adds numbers'],
  ['adds\n  numbers', 'adds numbers'],
  ['case 1', 'case 1'],
])('a failure named %o is compared as %o', (name, expected) => {
  expect(normaliseFailure(name)).toBe(expected);
});
