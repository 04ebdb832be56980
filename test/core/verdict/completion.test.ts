import { describe, expect, it } from 'vitest';
import { judgeCompletion, type CompletionInput } from '../../../src/core/verdict/completion.ts';

const proven: CompletionInput = {
  passed: true,
  baseline: 'red',
  claimed: false,
  successCondition: false,
  differsFromBase: true,
  requireClaim: 'auto',
  requireDiff: true,
};

describe('the rules of done', () => {
  it.each<[string, Partial<CompletionInput>, boolean | 'pass' | 'diff' | 'claim']>([
    ['red to green with a diff', {}, true],
    ['a failing verification', { passed: false, claimed: true }, 'pass'],
    ['no verification at all, whatever is claimed', { passed: null, claimed: true }, 'pass'],
    ['no verification, claim waived', { passed: null, requireClaim: 'never' }, 'pass'],
    ['red to green without a diff', { differsFromBase: false }, 'diff'],
    [
      'a claim without a diff',
      { differsFromBase: false, claimed: true, baseline: 'green' },
      'diff',
    ],
    ['no diff, but none required', { differsFromBase: false, requireDiff: false }, true],
    ['green before and after without a claim', { baseline: 'green' }, 'claim'],
    ['green before and after with a claim', { baseline: 'green', claimed: true }, true],
    ['green baseline, claim waived', { baseline: 'green', requireClaim: 'never' }, true],
    [
      'green baseline, claim waived, no diff',
      { baseline: 'green', requireClaim: 'never', differsFromBase: false },
      'diff',
    ],
    ['red baseline, claim always required', { requireClaim: 'always' }, 'claim'],
    [
      'red baseline, claim always required and given',
      { requireClaim: 'always', claimed: true },
      true,
    ],
    ['skipped baseline without a claim', { baseline: 'skipped' }, 'claim'],
    ['skipped baseline with a claim', { baseline: 'skipped', claimed: true }, true],
    ['a baseline that proved nothing', { baseline: 'unknown' }, 'claim'],
    [
      'a success condition in place of the claim',
      { baseline: 'green', successCondition: true },
      true,
    ],
    ['a success condition without a pass', { passed: false, successCondition: true }, 'pass'],
  ])('%s', (_name, change, expected) => {
    const result = judgeCompletion({ ...proven, ...change });
    expect(result.complete ? true : result.missing).toBe(expected);
  });
});
