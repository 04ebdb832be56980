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
import { shows } from '../../support/shows.ts';

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

const at = (coverage: number | null) => summary({ coverage });

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

describe('the truth table of activity and progress', () => {
  const weights = {
    filesModified: 3,
    filesCreated: 2,
    testsImproved: 4,
    testsAdded: 2,
    buildFixed: 5,
    lintFixed: 1,
    coverageRose: 2,
  };
  type Signal = keyof typeof weights;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the record above
  const signals = Object.keys(weights) as Signal[];
  const base = summary({
    tree: 'base',
    tests: counts(5, 5),
    coverage: 50,
    checkScores: { 'L1/build': 0.5, 'L1/lint': 0.5, 'L1/other': 1 },
  });

  /** An iteration that shows exactly these signals; the level stays below that of the base unless it must rise. */
  function iteration(shown: ReadonlySet<Signal>, tree: string): IterationSummary {
    const passed = shown.has('testsImproved') ? 6 : 5;
    const total = shown.has('testsAdded') ? 11 : 10;
    return summary({
      tree,
      changes: {
        ...noChanges,
        modified: shown.has('filesModified') ? ['a'] : [],
        created: shown.has('filesCreated') ? ['b'] : [],
      },
      tests: { total, passed, failed: total - passed, skipped: 0 },
      coverage: shown.has('coverageRose') ? 51 : 50,
      checkScores: {
        'L1/build': shown.has('buildFixed') ? 1 : 0,
        'L1/lint': shown.has('lintFixed') ? 1 : 0,
        'L1/other': 0,
      },
    });
  }

  const rows = Array.from({ length: 2 ** signals.length }, (_, bits) => {
    const shown = new Set(signals.filter((_signal, index) => (bits & (1 << index)) !== 0));
    return { shown, tenths: [...shown].reduce((sum, signal) => sum + weights[signal], 0) };
  });

  it.each(['seen', 'new'] as const)('holds for every combination on a tree that is %s', (tree) => {
    for (const { shown, tenths } of rows) {
      const now = iteration(shown, tree);
      const result = progressOf(now, [summary({ tree: 'seen' })], { base });
      expect({ shown: [...shown], signals: result.signals }).toEqual({
        shown: [...shown],
        signals: signals.filter((signal) => shown.has(signal)),
      });
      expect(result.activity).toBe(tenths / 10);
      // The level of the base is 2/3; both fixed give 2/3 at most, so it never rises here.
      expect(result.levelRose).toBe(false);
      expect(result.progress).toBe(tree === 'new' && tenths >= 1);
    }
  });

  it('has no row in which files alone make progress on a tree that was seen before', () => {
    const files = new Set<Signal>(['filesModified', 'filesCreated']);
    for (const tree of ['base', 'seen']) {
      const now = progressOf(iteration(files, tree), [summary({ tree: 'seen' })], { base });
      expect([now.activity, now.progress]).toEqual([0.5, false]);
    }
  });

  it('compares the first iteration with the base', () => {
    const better = summary({
      tree: 'base',
      checkScores: { 'L1/build': 1, 'L1/lint': 1, 'L1/other': 1 },
    });
    expect(progressOf(better, [], { base })).toMatchObject({ progress: true, levelRose: true });
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
    shows('004.progress-files', '004.progress-tests', '004.progress-none');
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
