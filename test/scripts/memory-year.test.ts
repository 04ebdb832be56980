import { statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { simulateYear } from '../../scripts/memory-year/simulate.ts';
import { openStore } from '../../src/adapters/sqlite/store.ts';
import { defaultMemoryBudget } from '../../src/core/memory/render-memory.ts';
import { tempDir } from '../support/temp-dir.ts';

/** A sample, unless the whole year is asked for; its bounds follow from the number of iterations. */
const isFull = process.env['LOOPWRIGHT_TEST_FULL'] === '1';
const tasks = isFull ? 10_000 : 300;

test(
  'a year of use keeps store and prompt within bounds, and tells what helps from what harms',
  { timeout: isFull ? 1_800_000 : 60_000 },
  async () => {
    await using dir = await tempDir();
    const file = path.join(dir.path, 'state.db');
    const store = await openStore(file);
    const year = await simulateYear(store, tasks);
    await store[Symbol.asyncDispose]();
    const { learnings, blocks, lifts, demoted } = year;
    expect(year.iterations).toBe(tasks * 5);
    expect(statSync(file).size).toBeLessThan(300_000 + year.iterations * 500);
    expect(blocks.reduce((most, each) => Math.max(most, each), 0)).toBeLessThanOrEqual(
      defaultMemoryBudget.learnings + defaultMemoryBudget.status,
    );
    expect(learnings.active).toBeGreaterThan(0);
    expect(learnings.pruned).toBeGreaterThan(learnings.active);
    expect(demoted.harmful).toBeGreaterThan(demoted.useful);
    expect(lifts.useful).toMatchObject({ kind: 'measured' });
    if (lifts.useful.kind === 'measured') expect(lifts.useful.low).toBeGreaterThan(0);
    if (lifts.harmful.kind === 'measured') expect(lifts.harmful.lift).toBeLessThan(0);
  },
);
