import { describe, expect, it } from 'vitest';
import { resolveSettings } from '../../../src/core/config/layers.ts';
import {
  capWarnings,
  effectiveIterationTimeout,
  effectiveMaxDuration,
} from '../../../src/core/config/limits.ts';
import type { Tree } from '../../../src/core/config/tree.ts';
import { layer } from './layer.ts';
import { shows } from '../../support/shows.ts';

function settingsOf(tree: Tree) {
  return resolveSettings([layer('project', tree)]).settings;
}

describe('the duration of a loop', () => {
  it.each<[Tree, number | null]>([
    [{}, 14_400_000],
    [{ mode: 'attended' }, null],
    [{ mode: 'hybrid' }, null],
    [{ budget: { 'max-duration': '1h' } }, 3_600_000],
    [{ mode: 'attended', budget: { 'max-duration': '1h' } }, 3_600_000],
    [{ budget: { 'max-duration': 0 } }, null],
  ])('with %j is %s', (tree, expected) => {
    expect(effectiveMaxDuration(settingsOf(tree))).toBe(expected);
  });
});

it('gives native agents 5 minutes and others 30, unless set', () => {
  shows('004.default-timeout', '002.config-timeout');
  expect(effectiveIterationTimeout(settingsOf({}), 'native')).toBe(300_000);
  expect(effectiveIterationTimeout(settingsOf({}), 'cli')).toBe(1_800_000);
  expect(
    effectiveIterationTimeout(settingsOf({ limits: { 'iteration-timeout': '1m' } }), 'native'),
  ).toBe(60_000);
});

describe('a cap below what the strategy wants', () => {
  it.each<[Tree, number]>([
    [{ strategy: 'hybrid', limits: { 'max-iterations': 4 } }, 1],
    [{ strategy: 'hybrid', limits: { 'max-iterations': 5 } }, 0],
    [{ strategy: 'ralph', limits: { 'max-iterations': 9 } }, 1],
    [{ strategy: 'fixed', limits: { 'max-iterations': 0 } }, 0],
    [{ limits: { 'max-iterations': 1 } }, 0],
  ])('warns: %j', (tree, count) => {
    expect(capWarnings(settingsOf(tree))).toHaveLength(count);
  });
});
