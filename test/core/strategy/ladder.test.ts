import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ladderStep, type LadderStep } from '../../../src/core/strategy/ladder.ts';
import type { IterationSummary } from '../../../src/core/strategy/strategy.ts';
import { modified, onTrees, signature, summary } from './summary.ts';

/** What the ladder says after each iteration in turn. */
function climb(iterations: readonly IterationSummary[]): readonly string[] {
  return iterations.map((_, index) => describeStep(ladderStep(iterations.slice(0, index + 1))));
}

function describeStep(step: LadderStep): string {
  if (step.kind === 'end') return `end: ${step.reason}`;
  return step.kind === 'notice' ? step.notice : 'none';
}

const idle = (length: number, tree: string | null = null) =>
  Array.from({ length }, (_, index) => summary({ iteration: index + 1, tree }));

describe('without progress', () => {
  it('gives a notice after three iterations and ends after five', () => {
    expect(climb(idle(5))).toEqual([
      'none',
      'none',
      'no_progress',
      'no_progress',
      'end: no_progress',
    ]);
  });

  it('says the same of an agent that leaves files and failure as they are', () => {
    const list = onTrees('a', 'a', 'a', 'a', 'a').map((each) => ({
      ...each,
      changes: summary().changes,
    }));
    expect(climb(list)).toEqual([
      'none',
      'change_approach',
      'no_progress',
      'no_progress',
      'end: no_progress',
    ]);
  });

  it('starts to count anew after progress', () => {
    const moved = summary({ tree: 'new', changes: modified('a') });
    const list = [...idle(4), moved, ...idle(4)];
    expect(climb(list).slice(4)).toEqual(['none', 'none', 'none', 'no_progress', 'no_progress']);
  });

  it('names the number of iterations', () => {
    expect(ladderStep(idle(4))).toMatchInlineSnapshot(`
      {
        "kind": "notice",
        "notice": "no_progress",
        "text": "The last 4 iterations made no progress: no new state of the files and no better check result. Read the failing checks again, find the cause before editing, and make a change that can be verified.",
      }
    `);
  });

  it('takes other limits', () => {
    expect(describeStep(ladderStep(idle(2), { noticeAfter: 1, endAfter: 2 }))).toBe(
      'end: no_progress',
    );
  });
});

describe('stuck', () => {
  it('notices the same failure on the same tree and ends when three more iterations repeat it', () => {
    expect(climb(onTrees('a', 'a', 'a', 'a', 'a'))).toEqual([
      'none',
      'change_approach',
      'change_approach',
      'no_progress',
      'end: stuck',
    ]);
  });

  it('notices A-B-A-B and ends when it goes on', () => {
    expect(climb(onTrees('a', 'b', 'a', 'b', 'a', 'b', 'a'))).toEqual([
      'none',
      'none',
      'none',
      'change_approach',
      'no_progress',
      'no_progress',
      'end: stuck',
    ]);
  });

  it('notices three identical results among five and ends when they come back, new trees between or not', () => {
    expect(climb(onTrees('a', 'x', 'a', 'y', 'a', 'z', 'a', 'w'))).toEqual([
      'none',
      'none',
      'none',
      'none',
      'change_approach',
      'none',
      'change_approach',
      'end: stuck',
    ]);
  });

  it('goes on when the approach changed', () => {
    expect(climb(onTrees('a', 'a', 'b', 'c', 'd')).slice(1)).toEqual([
      'change_approach',
      'none',
      'none',
      'none',
    ]);
  });

  it('goes on when the approach changed after one more repetition', () => {
    expect(climb(onTrees('a', 'a', 'a', 'b', 'c')).slice(2)).toEqual([
      'change_approach',
      'none',
      'none',
    ]);
  });

  it('gives a new notice for a pattern that comes back later', () => {
    expect(climb(onTrees('a', 'a', 'b', 'c', 'd', 'd')).slice(4)).toEqual([
      'none',
      'change_approach',
    ]);
  });

  it('does not take the same tree with another failure for the same', () => {
    const list = onTrees('a', 'a').map((each, index) => ({
      ...each,
      signatures: [signature(`failure ${index}`)],
    }));
    expect(climb(list)).toEqual(['none', 'none']);
  });

  it('does not take the same failure on another tree for the same', () => {
    const list = onTrees('a', 'b', 'c', 'd', 'e').map((each) => ({
      ...each,
      signatures: [signature('same')],
    }));
    expect(new Set(climb(list))).toEqual(new Set(['none']));
  });

  it('looks at failing checks, not at which of their tests fail', () => {
    const list = onTrees('a', 'x', 'a', 'y', 'a').map((each, index) => ({
      ...each,
      failures: ['L1/validation', `L1/validation: test ${index}`],
    }));
    expect(climb(list).at(-1)).toBe('change_approach');
  });

  it('ignores iterations without a snapshot', () => {
    const list = onTrees(null, null, null).map((each) => ({
      ...each,
      signatures: [signature('same')],
    }));
    expect(climb(list)).toEqual(['none', 'none', 'no_progress']);
  });
});

describe('for every history', () => {
  const iteration = fc.record({
    tree: fc.constantFrom('a', 'b', 'c', 'd', null),
    changes: fc.constantFrom(summary().changes, modified('a')),
    checkScores: fc.constantFrom({}, { 'L1/t': 0 }, { 'L1/t': 0.5 }),
    failures: fc.constantFrom([], ['L1/t']),
    signatures: fc.constantFrom([], [signature('one')], [signature('two')]),
  });
  const histories = fc
    .array(iteration, { minLength: 1, maxLength: 14 })
    .map((list) => list.map((each, index) => summary({ ...each, iteration: index + 1 })));

  it('says nothing while every iteration makes progress', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const moving = history.map((each, index) => ({
          ...each,
          tree: `tree ${index}`,
          changes: modified('a'),
        }));
        expect(ladderStep(moving)).toEqual({ kind: 'none' });
      }),
    );
  });

  it('says nothing while the level rises, whatever the trees do', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const rising = history.map((each, index) => ({
          ...each,
          checkScores: { 'L1/t': index / 20 },
        }));
        expect(ladderStep(rising)).toEqual({ kind: 'none' });
      }),
    );
  });

  it('has ended by the fifth successive iteration without progress', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const ended = [...history, ...idle(5)].some(
          (_, index, list) => ladderStep(list.slice(0, index + 1)).kind === 'end',
        );
        expect(ended).toBe(true);
      }),
    );
  });

  it('never ends without a notice at an earlier iteration', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const steps = climb(history);
        const end = steps.findIndex((step) => step.startsWith('end'));
        if (end < 0) return;
        const notices = steps.slice(0, end).filter((step) => step !== 'none');
        expect(notices.length).toBeGreaterThan(0);
      }),
    );
  });

  it('never ends for want of progress before five iterations lack it', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 20 }), (moves) => {
        const list = moves.map((moved, index) =>
          moved ? summary({ tree: `tree ${index}`, changes: modified('a') }) : summary(),
        );
        const streak = moves.length - 1 - moves.lastIndexOf(true);
        const step = ladderStep(list);
        if (streak >= 5) expect(describeStep(step)).toBe('end: no_progress');
        else if (streak >= 3) expect(describeStep(step)).toBe('no_progress');
        else expect(step).toEqual({ kind: 'none' });
      }),
    );
  });
});
