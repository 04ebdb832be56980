import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLoopwrightError } from '../../../src/core/error.ts';
import { createProgressStrategy, progressLimits } from '../../../src/core/progress/registry.ts';
import { progressStrategyNames } from '../../../src/core/progress/strategy.ts';
import { anyEntry, entry } from './entry.ts';
import { shows } from '../../support/shows.ts';

describe('a progress strategy', () => {
  it('is empty at first and gives an empty string', () => {
    shows('000.empty-text', '000.is-empty');
    const progress = createProgressStrategy();
    expect([progress.get(), progress.length, progress.isEmpty]).toEqual(['', 0, true]);
    expect(progress.variants()).toEqual(['']);
  });

  it('answers the entry it recorded', () => {
    shows('000.record-answers', '000.length-counts');
    const progress = createProgressStrategy();
    expect(progress.record(entry({ stdout: 'test failed' }))).toBe(progress.get());
    expect(progress.length).toBe(1);
  });

  it('keeps only the newest entries, oldest first', () => {
    shows('000.own-limits', '000.oldest-leaves', '000.oldest-first', '000.check-three-of-five');
    const progress = createProgressStrategy({ maxEntries: 3, maxChars: 100 });
    for (const iteration of [1, 2, 3, 4, 5]) {
      progress.record(entry({ iteration, stdout: `error ${iteration}` }));
    }
    expect(progress.length).toBe(3);
    expect(progress.get().match(/## Iteration \d/g)).toEqual([
      '## Iteration 3',
      '## Iteration 4',
      '## Iteration 5',
    ]);
  });

  it('stays short when the output is long', () => {
    shows('000.check-short');
    const progress = createProgressStrategy({ maxEntries: 5, maxChars: 50 });
    progress.record(entry({ stdout: 'x'.repeat(200) }));
    expect(progress.get()).toContain('...[truncated]...\n');
    expect(progress.get().length).toBeLessThan(500);
  });

  it('is empty again after clear', () => {
    shows('000.clear-forgets', '000.check-clear');
    const progress = createProgressStrategy();
    progress.record(entry());
    progress.clear();
    expect([progress.get(), progress.length, progress.isEmpty]).toEqual(['', 0, true]);
  });

  it('keeps nothing with a limit of zero entries', () => {
    const progress = createProgressStrategy({ maxEntries: 0 });
    progress.record(entry());
    expect(progress.get()).toBe('');
  });

  it('offers renderings without the oldest entries, down to nothing', () => {
    const progress = createProgressStrategy();
    for (const iteration of [1, 2, 3]) progress.record(entry({ iteration }));
    const numbers = progress.variants().map((text) => text.match(/(?<=Iteration )\d/g) ?? []);
    expect(numbers).toEqual([['1', '2', '3'], ['2', '3'], ['3'], []]);
  });

  it('uses the default for an unknown name and says so', () => {
    shows('000.unknown-name');
    const progress = createProgressStrategy({ name: 'telepathy' });
    expect(progress.name).toBe('system-captured');
    expect(progress.warning).toBe(
      'Unknown progress strategy "telepathy", using system-captured. Valid: system-captured, structured, llm-summary, hybrid.',
    );
  });

  it.each(progressStrategyNames)('%s is known', (name) => {
    shows('000.chosen-by-name', '000.llm-summary', '000.hybrid', '000.structured');
    expect(createProgressStrategy({ name })).toMatchObject({ name, warning: null });
  });

  it('gives phases a longer record', () => {
    shows('000.type-override');
    expect(progressLimits('phase')).toEqual({ maxEntries: 10, maxChars: 1000 });
    expect(progressLimits('ralph')).toEqual({ maxEntries: 5, maxChars: 500 });
  });

  it('refuses to restore what it did not write', () => {
    const progress = createProgressStrategy();
    for (const text of ['', '{}', '{"version":1,"entries":[{"iteration":"1"}]}']) {
      expect(() => progress.restore(text)).toThrowError(
        expect.toSatisfy((error) => isLoopwrightError(error) && error.code === 'progress.corrupt'),
      );
    }
  });
});

describe('for every history', () => {
  const config = fc.record({
    name: fc.constantFrom(...progressStrategyNames),
    maxEntries: fc.integer({ min: 1, max: 6 }),
    maxChars: fc.integer({ min: 1, max: 200 }),
  });

  it('renders byte for byte the same after a restart, from text or from entries', () => {
    shows('000.restore-clears');
    fc.assert(
      fc.property(config, fc.array(anyEntry, { maxLength: 8 }), (settings, entries) => {
        const progress = createProgressStrategy(settings);
        for (const each of entries) progress.record(each);
        const restored = createProgressStrategy(settings);
        restored.restore(progress.serialise());
        expect(restored.get()).toBe(progress.get());
        expect(restored.serialise()).toBe(progress.serialise());
        const stored = JSON.parse(JSON.stringify(progress.entries()));
        expect(createProgressStrategy(settings, stored).get()).toBe(progress.get());
      }),
    );
  });

  it('never keeps more entries or renders more text than its limits allow', () => {
    shows('000.bounded-growth');
    fc.assert(
      fc.property(config, fc.array(anyEntry, { maxLength: 8 }), (settings, entries) => {
        const progress = createProgressStrategy(settings);
        for (const each of entries) progress.record(each);
        expect(progress.length).toBe(Math.min(entries.length, settings.maxEntries));
        // Fences and inline code may need as many backticks as the text has, twice.
        const perEntry = 2 * (3 * settings.maxChars + 100) + 5 * 250 + 1100;
        expect(Array.from(progress.get()).length).toBeLessThanOrEqual(
          progress.length * perEntry + 50,
        );
      }),
    );
  });

  it('does not change what it was given', () => {
    fc.assert(
      fc.property(fc.array(anyEntry, { maxLength: 4 }), (entries) => {
        const copy = structuredClone(entries);
        const progress = createProgressStrategy({}, entries);
        for (const each of entries) progress.record(each);
        progress.get();
        expect(entries).toEqual(copy);
      }),
    );
  });
});
