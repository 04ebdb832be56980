import { describe, expect, it } from 'vitest';
import { StopCondition } from '../../../src/core/config/section/stop.ts';
import { evaluateStop, stopTests } from '../../../src/core/verdict/stop-condition.ts';

const parse = (value: unknown) => StopCondition().parse(value);
const file = (name: string) => ({ on: 'file-created', path: name });

/** Looks at a table of file names. */
const lookIn =
  (world: Record<string, boolean | null>) => (test: { on: string; path?: string }) => ({
    met: world[test.path ?? ''] ?? null,
  });

describe('stop conditions', () => {
  it.each<[string, unknown, Record<string, boolean | null>, boolean, boolean]>([
    ['a met test', file('a'), { a: true }, true, false],
    ['an unmet test', file('a'), { a: false }, false, false],
    ['a look that failed', file('a'), { a: null }, false, true],
    ['all met', { all: [file('a'), file('b')] }, { a: true, b: true }, true, false],
    ['all with one unmet', { all: [file('a'), file('b')] }, { a: true, b: false }, false, false],
    ['all with one unsure', { all: [file('a'), file('b')] }, { a: true, b: null }, false, true],
    [
      'all decided by an unmet part',
      { all: [file('a'), file('b')] },
      { a: false, b: null },
      false,
      false,
    ],
    ['any met', { any: [file('a'), file('b')] }, { a: false, b: true }, true, false],
    [
      'any decided by a met part',
      { any: [file('a'), file('b')] },
      { a: null, b: true },
      true,
      false,
    ],
    ['not unmet', { not: file('a') }, { a: false }, true, false],
    [
      'not unsure stays unsure: a failed look never stops a loop',
      { not: file('a') },
      { a: null },
      false,
      true,
    ],
    [
      'nested',
      { all: [{ not: file('a') }, { any: [file('b'), file('c')] }] },
      { a: false, b: false, c: true },
      true,
      false,
    ],
  ])('%s', (_name, condition, world, met, unsure) => {
    expect(evaluateStop(parse(condition), lookIn(world))).toMatchObject({ met, unsure });
  });

  it('finds every test through the combinators', () => {
    const condition = parse({ all: [{ not: file('a') }, { any: [file('b'), file('c')] }] });
    expect(stopTests([condition]).map((test) => ('path' in test ? test.path : ''))).toEqual([
      'a',
      'b',
      'c',
    ]);
  });
});
