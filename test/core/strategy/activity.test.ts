import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noChanges } from '../../../src/core/loop/changes.ts';
import {
  progressOf,
  progressOfEach,
  type ProgressOptions,
} from '../../../src/core/strategy/activity.ts';
import type { IterationSummary } from '../../../src/core/strategy/strategy.ts';
import { modified, summary } from './summary.ts';

const counts = (passed: number, failed: number) => ({
  total: passed + failed,
  passed,
  failed,
  skipped: 0,
});

const before = summary({
  tree: 'before',
  tests: counts(3, 2),
  checkScores: { 'L1/build': 0, 'L1/lint': 0, 'L1/validation': 0.6 },
});

describe('activity', () => {
  const rows: [string, Partial<IterationSummary>, number][] = [
    ['nothing', {}, 0],
    ['files modified', { changes: modified('a') }, 0.3],
    ['files deleted', { changes: { ...noChanges, deleted: ['a'] } }, 0.3],
    ['files renamed', { changes: { ...noChanges, renamed: [{ from: 'a', to: 'b' }] } }, 0.3],
    ['files created', { changes: { ...noChanges, created: ['a'] } }, 0.2],
    ['modified and created', { changes: { ...modified('a'), created: ['b'] } }, 0.5],
    ['more tests pass', { tests: counts(4, 1) }, 0.4],
    ['fewer tests fail because they are gone', { tests: counts(3, 1) }, 0],
    ['failing tests added', { tests: counts(3, 4) }, 0.2],
    ['passing tests added', { tests: counts(4, 2) }, 0.6],
    ['tests unknown', { tests: null }, 0],
    ['build fixed', { checkScores: { 'L1/build': 1 } }, 0.5],
    ['build half fixed', { checkScores: { 'L1/build': 0.9 } }, 0],
    ['lint fixed', { checkScores: { 'L1/lint': 1 } }, 0.1],
    ['another check fixed', { checkScores: { 'L1/validation': 1 } }, 0],
    ['a build that was not there before', { checkScores: { 'L1/build-docs': 1 } }, 0],
  ];

  it.each(rows)('%s', (_, change, expected) => {
    const { activity } = progressOf(summary({ tree: 'new', ...change }), [before]);
    expect(activity).toBe(expected);
  });

  it('counts coverage only when it was measured before and is higher now', () => {
    const at = (coverage: number | null) => summary({ coverage });
    expect(progressOf(at(51), [at(50)]).activity).toBe(0.2);
    expect(progressOf(at(50), [at(50)]).activity).toBe(0);
    expect(progressOf(at(51), [at(null)]).activity).toBe(0);
    expect(progressOf(at(51), [at(50), at(null)]).activity).toBe(0.2);
  });

  it('compares with the newest iteration that has the number, across one without', () => {
    const unknown = summary({ iteration: 2, tree: 'x' });
    const now = summary({ iteration: 3, tree: 'y', tests: counts(5, 0) });
    expect(progressOf(now, [before, unknown]).activity).toBe(0.4);
  });
});

describe('progress', () => {
  type Row = {
    says: string;
    now: Partial<IterationSummary>;
    options?: ProgressOptions;
    expected: boolean;
  };
  const edit = modified('a');
  const rows: Row[] = [
    { says: 'an edit on a new tree is', now: { tree: 'new', changes: edit }, expected: true },
    {
      says: 'an edit back to a tree seen before is not',
      now: { tree: 'before', changes: edit },
      expected: false,
    },
    {
      says: 'an edit without a snapshot is not',
      now: { tree: null, changes: edit },
      expected: false,
    },
    {
      says: 'an edit back to the base is not',
      now: { tree: 'base', changes: edit },
      options: { base: { tree: 'base', tests: null, coverage: null, checkScores: {} } },
      expected: false,
    },
    { says: 'a new tree without activity is not', now: { tree: 'new' }, expected: false },
    {
      says: 'a level above its best is, even on a tree seen before',
      now: { tree: 'before', checkScores: { 'L1/validation': 0.3, 'L1/build': 1 } },
      expected: true,
    },
    {
      says: 'a level at its best is not',
      now: { tree: 'before', checkScores: before.checkScores },
      expected: false,
    },
    {
      says: 'a new tree with a lower level but activity is',
      now: { tree: 'new', changes: edit, checkScores: { 'L1/validation': 0 } },
      expected: true,
    },
  ];

  it.each(rows)('$says progress', ({ now, options, expected }) => {
    expect(progressOf(summary(now), [before], options ?? {}).progress).toBe(expected);
  });

  it('reports what it was judged by', () => {
    const now = summary({ tree: 'new', changes: edit, checkScores: { 'L1/validation': 0.5 } });
    expect(progressOf(now, [before])).toEqual({
      progress: true,
      activity: 0.3,
      signals: ['filesModified'],
      level: 0.5,
      bestLevel: 0.19999999999999998,
      levelRose: true,
      newTree: true,
    });
  });

  it('is the same for each iteration whether judged alone or in one pass', () => {
    const iteration = fc.record({
      tree: fc.constantFrom('a', 'b', 'c', null),
      changes: fc.constantFrom(noChanges, edit),
      tests: fc.constantFrom(null, counts(1, 1), counts(2, 0), counts(0, 3)),
      checkScores: fc.dictionary(
        fc.constantFrom('L1/build', 'L1/lint', 'L1/validation'),
        fc.constantFrom(0, 0.5, 1),
      ),
    });
    fc.assert(
      fc.property(fc.array(iteration, { maxLength: 12 }), (list) => {
        const iterations = list.map((each) => summary(each));
        const alone = iterations.map((each, index) => progressOf(each, iterations.slice(0, index)));
        expect(progressOfEach(iterations)).toEqual(alone);
      }),
    );
  });
});
