import { describe, expect, it } from 'vitest';
import type { Alteration } from '../../../src/core/judge/tripwire/alter.ts';
import {
  doubtOf,
  equalToAll,
  overpoweredIn,
  wentThrough,
  type FilledRun,
} from '../../../src/core/judge/tripwire/altered-verdict.ts';
import { parseTests } from '../../../src/core/verdict/test-output/parse-tests.ts';

const alteration: Alteration = {
  fill: () => [],
  names: ['adds', 'subtracts'],
  unnamed: 0,
  words: ['kido0-0-', 'kido0-1-'],
};

const line = (fine: boolean, at: number, name: string) =>
  `${fine ? 'ok' : 'not ok'} ${at} - ${name}`;

const tap = (adds: boolean, subtracts: boolean): FilledRun => {
  const output = `TAP version 13\n${line(adds, 1, 'adds')}\n${line(subtracts, 2, 'subtracts')}\n1..2\n`;
  return [{ name: 'test', passed: adds && subtracts, tests: parseTests(output), output }];
};
const script = (passed: boolean, output = ''): FilledRun => [
  { name: 'test', passed, tests: null, output },
];

describe('a run with other values', () => {
  it.each([
    ['held', tap(false, false)],
    ['some', tap(false, true)],
    ['passed', tap(true, true)],
  ] as const)('is %s by the tests that fail', (doubt, run) => {
    expect(doubtOf(alteration, run, tap(true, true))).toBe(doubt);
  });

  it('of a script is known by how it ended', () => {
    expect(doubtOf(alteration, script(false), script(true))).toBe('held');
    expect(doubtOf(alteration, script(true), script(true))).toBe('passed');
  });

  it('says nothing when it fails without naming a test', () => {
    expect(doubtOf(alteration, script(false), tap(true, true))).toBe('silent');
  });
});

describe('a value that equals two others', () => {
  it('is one whose test fails only where two values differ by themselves', () => {
    const odd = [{ kind: 'test', check: 'test', test: 'subtracts' }];
    expect(equalToAll(alteration, tap(false, true), tap(false, false))).toEqual(odd);
  });

  it('is not one whose test says the same both times', () => {
    expect(equalToAll(alteration, tap(false, true), tap(false, true))).toEqual([]);
    expect(equalToAll(alteration, tap(false, false), tap(false, false))).toEqual([]);
  });

  it('is no other test, which may fail now and then', () => {
    const other = { ...alteration, names: ['adds'] };
    expect(equalToAll(other, tap(false, true), tap(false, false))).toEqual([]);
  });

  it('is told by the word of its statement in a script', () => {
    const altered = script(true, 'kido0-0-\nkido0-1-\n');
    expect(wentThrough(alteration, altered, script(true, 'kido0-0-\n'))).toEqual(['kido0-1-']);
  });
});

describe('a check that passes with other values', () => {
  const odd = [{ kind: 'check', check: 'test', test: '' }];
  it('counts when it answers to its comparisons on the base', () => {
    const reference = { equal: script(true), unequal: script(false) };
    expect(overpoweredIn(alteration, script(true), reference)).toEqual(odd);
  });

  it.each([
    ['passes there with two values that differ', { equal: script(true), unequal: script(true) }],
    ['fails there with one value', { equal: script(false), unequal: script(false) }],
  ])('does not count when it %s', (_why, reference) => {
    expect(overpoweredIn(alteration, script(true), reference)).toEqual([]);
  });

  it('counts by test where only some pass', () => {
    const reference = { equal: tap(true, true), unequal: tap(false, false) };
    const found = overpoweredIn(alteration, tap(false, true), reference);
    expect(found).toEqual([{ kind: 'test', check: 'test', test: 'subtracts' }]);
  });
});
