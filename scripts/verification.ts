/**
 * Writes docs/design/verification.md. Reports of tests given as arguments (`vitest run test/tricks --reporter=json
 * --outputFile=…`) replace the results of the tests they contain; the others stay as they were recorded.
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { keyOf, type Result, type Results } from './reliability/render.ts';
import { readReports, resultOf } from './reliability/test-report.ts';
import { renderVerification } from './verification/render.ts';
import { tricks } from './verification/tricks.ts';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const page = path.join(root, 'docs/design/verification.md');
const recorded = path.join(root, 'scripts/verification/results.json');

const StoredResults = z.record(
  z.string(),
  z.object({ passed: z.number(), failed: z.number(), skipped: z.number() }),
);

/** What was recorded for the tests of the table. */
export async function readTrickResults(): Promise<Results> {
  return StoredResults.parse(JSON.parse(await readFile(recorded, 'utf8')));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const known = await readTrickResults().catch((): Results => ({}));
  const reports = await readReports(process.argv.slice(2));
  const results: Record<string, Result> = {};
  for (const { test } of tricks) {
    const result = resultOf(reports, test) ?? known[keyOf(test)];
    if (result !== undefined) results[keyOf(test)] = result;
  }
  await writeFile(recorded, `${JSON.stringify(results, null, 2)}\n`);
  await writeFile(page, renderVerification(tricks, results));
  console.log(path.relative(root, page));
}
