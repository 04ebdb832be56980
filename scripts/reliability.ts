/**
 * Writes docs/design/reliability.md. Reports of tests given as arguments (`vitest run --reporter=json --outputFile=…`)
 * replace the results of the tests they contain, the newest report of a case last; the others stay as they were recorded.
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { faults } from './reliability/faults.ts';
import { keyOf, renderReliability, type Result, type Results } from './reliability/render.ts';
import { readReports, resultOf } from './reliability/test-report.ts';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const page = path.join(root, 'docs/design/reliability.md');
const recorded = path.join(root, 'scripts/reliability/results.json');

const Count = z.number();
const StoredResults = z.record(
  z.string(),
  z.object({ passed: Count, failed: Count, skipped: Count }),
);
/** What was recorded for the tests of the table. */
export async function readResults(): Promise<Results> {
  return StoredResults.parse(JSON.parse(await readFile(recorded, 'utf8')));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const results: Record<string, Result> = {
    ...(await readResults().catch((): Results => ({}))),
  };
  const known = new Set(faults.flatMap(({ tests }) => tests.map(keyOf)));
  for (const key of Object.keys(results)) if (!known.has(key)) delete results[key];
  const reports = await readReports(process.argv.slice(2));
  for (const test of faults.flatMap(({ tests }) => tests)) {
    const result = resultOf(reports, test);
    // A report that left a test out says nothing about it.
    const isDecided = result !== null && result.passed + result.failed > 0;
    if (isDecided) results[keyOf(test)] = result;
  }
  const sorted = Object.fromEntries(
    Object.entries(results).toSorted(([a], [b]) => a.localeCompare(b)),
  );
  await writeFile(recorded, `${JSON.stringify(sorted, null, 2)}\n`);
  await writeFile(page, renderReliability(faults, sorted));
  console.log(path.relative(root, page));
}
