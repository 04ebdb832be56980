import { describe, expect, it } from 'vitest';
import {
  judgeConfirmation,
  standing,
  type Confirmation,
  type ConfirmationInput,
  type ConfirmationRun,
  type JudgeChange,
} from '../../../src/core/verdict/confirmation.ts';
import { confirmationFeedback } from '../../../src/core/verdict/confirmation-feedback.ts';

const passing: ConfirmationRun = {
  kind: 'base-judge',
  passed: true,
  reason: null,
  failing: [],
  lost: [],
  changed: [],
  output: '',
  durationMs: 10,
  evidence: 'x',
};
const failing = { passed: false, reason: 'validation: exit code 1', failing: ['adds'] } as const;
const own = { ...passing, kind: 'own-judge' } as const;
const change: JudgeChange = { path: 'test/a.test.js', kind: 'test', how: 'changed' };
const input: ConfirmationInput = {
  baseline: 'red',
  failedBefore: ['subtracts'],
  runs: [passing],
  changes: [],
  isOnlyJudge: false,
  surroundings: [],
  tripwire: null,
  odd: [],
};
const gone = 'the test "adds" ran on the base and is gone';

describe('what the runs say together', () => {
  it.each<readonly [string, Partial<ConfirmationInput>, string, string]>([
    ['a fix', {}, 'confirmed', 'red-green'],
    ['allowed tests, and no code', { isOnlyJudge: true }, 'confirmed', 'unproven'],
    [
      'other tests, which the base does not need',
      { runs: [passing, own], changes: [change] },
      'confirmed',
      'red-green',
    ],
    [
      'the base says no, the loop yes',
      { runs: [{ ...passing, ...failing }, own], changes: [change] },
      'contradicted',
      'red-green',
    ],
    [
      'both say no',
      {
        runs: [
          { ...passing, ...failing },
          { ...own, ...failing },
        ],
        changes: [change],
      },
      'refused',
      'red-green',
    ],
    [
      'no, and nothing of the judge was changed',
      { runs: [{ ...passing, ...failing }] },
      'refused',
      'red-green',
    ],
    [
      'a test inside of a source file is gone',
      { runs: [{ ...passing, lost: [gone] }] },
      'contradicted',
      'red-green',
    ],
    [
      'the run changed its judge',
      { runs: [{ ...passing, lost: [gone], changed: ['a.test.js'] }] },
      'refused',
      'red-green',
    ],
    [
      "the loop's own tests fail",
      { runs: [passing, { ...own, ...failing }], changes: [change] },
      'refused',
      'red-green',
    ],
    [
      'the base fails there as well',
      {
        baseline: 'green',
        runs: [
          { ...passing, ...failing },
          { ...passing, ...failing, kind: 'reference' },
        ],
      },
      'poor-room',
      'unproven',
    ],
    [
      'a test that passed on the base fails there as well, beside those that failed before',
      {
        runs: [
          { ...passing, ...failing },
          { ...passing, ...failing, failing: ['adds', 'subtracts'], kind: 'reference' },
        ],
      },
      'poor-room',
      'red-green',
    ],
    [
      'a test that passed on the base fails now, and not on the base',
      {
        runs: [
          { ...passing, ...failing },
          { ...passing, ...failing, failing: ['subtracts'], kind: 'reference' },
        ],
      },
      'refused',
      'red-green',
    ],
    ['a green base, nothing added', { baseline: 'green' }, 'confirmed', 'unproven'],
    [
      'a green base, tests that fail without the work',
      { baseline: 'green', runs: [passing, { ...passing, ...failing, kind: 'red-first' }] },
      'confirmed',
      'red-first',
    ],
    ['a silent base', { baseline: 'silent', runs: [own] }, 'confirmed', 'unproven'],
  ])('%s', (_name, given, verdict, proof) => {
    expect(judgeConfirmation({ ...input, ...given })).toMatchObject({ verdict, proof });
  });
});

describe('what people and the agent say to it', () => {
  const judged = judgeConfirmation({ ...input, runs: [{ ...passing, lost: [gone] }] });
  const confirmation: Confirmation = {
    ...judged,
    base: 'b',
    commit: 'c',
    runs: [{ ...passing, lost: [gone] }],
    changes: [],
    hash: 'h',
    durationMs: 1,
    checkMs: 1,
  };

  it('lifts a contradiction: a person plainly, the agent without proof', () => {
    const lift = { approved: [], word: null };
    expect(standing(confirmation, lift).passed).toBe(false);
    expect(standing(confirmation, { ...lift, approved: ['h'] })).toMatchObject({
      passed: true,
      proof: 'red-green',
    });
    expect(standing(confirmation, { ...lift, word: 'renamed' })).toMatchObject({
      passed: true,
      proof: 'unproven',
    });
  });

  it('tells the agent which test is gone, and lists no files when none was changed', () => {
    const text = confirmationFeedback(confirmation, 'T1');
    expect(text).toContain(gone);
    expect(text).toContain('<judge-changed>');
    expect(text).not.toContain('among the files that judge');
  });
});
