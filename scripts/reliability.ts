/**
 * Writes docs/design/reliability.md. Reports of tests given as arguments (`vitest run --reporter=json --outputFile=…`)
 * replace the results of the tests they contain, the newest report of a case last; the others stay as they were recorded.
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { faults, type TestRef } from './reliability/faults.ts';
import { keyOf, renderReliability, type Result, type Results } from './reliability/render.ts';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const page = path.join(root, 'docs/design/reliability.md');
const recorded = path.join(root, 'scripts/reliability/results.json');

const Count = z.number();
const StoredResults = z.record(
  z.string(),
  z.object({ passed: Count, failed: Count, skipped: Count }),
);
const Report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      assertionResults: z.array(z.object({ title: z.string(), status: z.string() })),
    }),
  ),
});
type Report = z.output<typeof Report>;

/** What was recorded for the tests of the table. */
export async function readResults(): Promise<Results> {
  return StoredResults.parse(JSON.parse(await readFile(recorded, 'utf8')));
}

/** The cases of a test over all reports. A case that a report left out does not undo what an earlier one says of it. */
function resultOf(reports: readonly Report[], { file, title }: TestRef): Result | null {
  const pattern = patternOf(title);
  const cases = new Map<string, string>();
  for (const { testResults } of reports) {
    const ran = testResults.find(({ name }) => name.endsWith(`/test/${file}`));
    for (const each of ran?.assertionResults ?? []) {
      if (!pattern.test(each.title)) continue;
      if (isDecided(each.status) || !cases.has(each.title)) cases.set(each.title, each.status);
    }
  }
  if (cases.size === 0) return null;
  const count = (status: string) => [...cases.values()].filter((each) => each === status).length;
  const passed = count('passed');
  const failed = count('failed');
  return { passed, failed, skipped: cases.size - passed - failed };
}

function isDecided(status: string): boolean {
  return status === 'passed' || status === 'failed';
}

/** A title with places for values (`%s`, `$name`) stands for all that they become. */
function patternOf(title: string): RegExp {
  const parts = title
    .split(/%s|\$[a-z]+/)
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const results: Record<string, Result> = {
    ...(await readResults().catch((): Results => ({}))),
  };
  const known = new Set(faults.flatMap(({ tests }) => tests.map(keyOf)));
  for (const key of Object.keys(results)) if (!known.has(key)) delete results[key];
  const reports: Report[] = [];
  for (const file of process.argv.slice(2)) {
    reports.push(Report.parse(JSON.parse(await readFile(file, 'utf8'))));
  }
  for (const test of faults.flatMap(({ tests }) => tests)) {
    const result = resultOf(reports, test);
    if (result !== null) results[keyOf(test)] = result;
  }
  const sorted = Object.fromEntries(
    Object.entries(results).toSorted(([a], [b]) => a.localeCompare(b)),
  );
  await writeFile(recorded, `${JSON.stringify(sorted, null, 2)}\n`);
  await writeFile(page, renderReliability(faults, sorted));
  console.log(path.relative(root, page));
}
