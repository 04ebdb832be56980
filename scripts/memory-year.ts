/**
 * A year of simulated use: `node scripts/memory-year.ts [TASKS]`, 10 000 tasks unless given. Prints how large the store is,
 * what a search and a prompt cost, and what became of the learnings.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openStore } from '../src/adapters/sqlite/store.ts';
import type { Lift } from '../src/core/memory/rank/lift.ts';
import { simulateYear } from './memory-year/simulate.ts';
import { shareOf } from './share-of.ts';

const tasks = Number(process.argv[2] ?? 10_000);
const folder = mkdtempSync(path.join(tmpdir(), 'loopwright-memory-year-'));
const file = path.join(folder, 'state.db');

function points(value: number): string {
  return (value * 100).toFixed(0);
}

function liftText(lift: Lift): string {
  if (lift.kind === 'not-enough-data') return 'not enough data';
  return `${points(lift.lift)} points (${points(lift.low)} to ${points(lift.high)})`;
}

try {
  const store = await openStore(file);
  const year = await simulateYear(store, tasks);
  await store[Symbol.asyncDispose]();
  const { searches, blocks, learnings, lifts, demoted } = year;
  const last = searches.slice(-Math.ceil(searches.length / 12));
  const rows: readonly (readonly [string, string])[] = [
    ['tasks, iterations', `${tasks}, ${year.iterations}`],
    ['store', `${(statSync(file).size / 1e6).toFixed(1)} MB`],
    [
      'learnings',
      Object.entries(learnings)
        .map(([name, n]) => `${n} ${name}`)
        .join(', '),
    ],
    [
      'search, CPU p50, p95',
      `${shareOf(searches, 0.5).toFixed(1)}, ${shareOf(searches, 0.95).toFixed(1)} ms`,
    ],
    ['search in the last month, CPU p95', `${shareOf(last, 0.95).toFixed(1)} ms`],
    [
      'memory in the prompt, p95, most',
      `${shareOf(blocks, 0.95)}, ${blocks.reduce((most, each) => Math.max(most, each), 0)} characters`,
    ],
    ['iterations with memory', `${((100 * blocks.length) / year.iterations).toFixed(0)} %`],
    ['lift of useful ones', liftText(lifts.useful)],
    ['lift of useless ones', liftText(lifts.useless)],
    ['lift of harmful ones', liftText(lifts.harmful)],
    [
      'demoted useful, useless, harmful',
      [demoted.useful, demoted.useless, demoted.harmful]
        .map((each) => `${(100 * each).toFixed(0)} %`)
        .join(', '),
    ],
  ];
  for (const [what, value] of rows) console.log(`| ${what.padEnd(34)} | ${value} |`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
