/**
 * Writes docs/design/verification.md. Reports of tests given as arguments (`vitest run test/tricks --reporter=json
 * --outputFile=…`) replace the results of the tests they contain; the others stay as they were recorded.
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { keyOf, type Result } from './reliability/render.ts';
import { readReports, resultOf } from './reliability/test-report.ts';
import { StoredCorpus, updateCorpus, type CorpusResults } from './verification/corpus-results.ts';
import { readCosts } from './verification/costs.ts';
import { renderVerification, type Recorded } from './verification/render.ts';
import { tricks } from './verification/tricks.ts';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const page = path.join(root, 'docs/design/verification.md');
const recorded = path.join(root, 'scripts/verification/results.json');
const recordedCorpus = path.join(root, 'scripts/verification/corpus-results.json');

const StoredResults = z.record(
  z.string(),
  z.object({ passed: z.number(), failed: z.number(), skipped: z.number() }),
);

/** What was recorded for the tests of the tables. */
export async function readRecorded(): Promise<Recorded> {
  const results = StoredResults.parse(JSON.parse(await readFile(recorded, 'utf8')));
  const corpus = StoredCorpus.parse(JSON.parse(await readFile(recordedCorpus, 'utf8')));
  return { results, corpus, costs: await readCosts() };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const known = await readRecorded();
  const files = process.argv.slice(2);
  const reports = await readReports(files);
  const results: Record<string, Result> = {};
  for (const { test } of tricks) {
    const result = resultOf(reports, test) ?? known.results[keyOf(test)];
    if (result !== undefined) results[keyOf(test)] = result;
  }
  const corpus: CorpusResults = await updateCorpus(known.corpus, files);
  await writeFile(recorded, `${JSON.stringify(results, null, 2)}\n`);
  await writeFile(recordedCorpus, `${JSON.stringify(corpus, null, 2)}\n`);
  await writeFile(page, renderVerification(tricks, { ...known, results, corpus }));
  console.log(path.relative(root, page));
}
