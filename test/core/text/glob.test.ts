import { describe, expect, it } from 'vitest';
import { matchesGlob } from '../../../src/core/text/glob.ts';

describe('path globs', () => {
  it.each([
    ['loopwright.yml', 'loopwright.yml', true],
    ['a/loopwright.yml', 'loopwright.yml', true],
    ['a/loopwright.yml', './loopwright.yml', true],
    ['a/loopwright.yml', '/loopwright.yml', false],
    ['loopwright.yml.bak', 'loopwright.yml', false],
    ['.loopwright/state.db', '.loopwright/**', true],
    ['.loopwright/a/b', '.loopwright/**', true],
    ['x.loopwright/a', '.loopwright/**', false],
    ['src/a.test.ts', '**/*.test.ts', true],
    ['a.test.ts', '**/*.test.ts', true],
    ['src/a.tests', '**/*.test.ts', false],
    ['src/deep/er/a.ts', 'src/*/a.ts', false],
    ['src/deep/a.ts', 'src/*/a.ts', true],
    ['secrets/key', '**/secrets/**', true],
    ['test/unit/a.ts', 'test/', true],
    ['a.ts', '?.ts', true],
    ['ab.ts', '?.ts', false],
  ])('%s against %s is %s', (path, glob, expected) => {
    expect(matchesGlob(path, glob)).toBe(expected);
  });

  it('stays fast on patterns made to backtrack', () => {
    const started = performance.now();
    matchesGlob(`${'a/'.repeat(300)}b`, `${'**/a/'.repeat(60)}c`);
    matchesGlob('a'.repeat(5000), `${'*a'.repeat(200)}b`);
    expect(performance.now() - started).toBeLessThan(500);
  });
});
