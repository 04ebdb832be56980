/**
 * Writes docs/design/seeds.md: every statement of the design documents, the tests that execute it,
 * their results, and what was decided differently. `npm run seeds` runs all tagged test files,
 * `npm run seeds -- FILE...` the given ones; results of the others stay as they were recorded.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderSeeds, type Page } from './seeds/render.ts';
import { countsOf, keyOf, readReport, StoredResults, type Counts } from './seeds/results.ts';
import { scanTags, testFilesOf } from './seeds/scan.ts';
import { sections } from './seeds/statements.ts';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const tests = path.join(root, 'test');
const page = path.join(root, 'docs/design/seeds.md');
const recorded = path.join(root, 'scripts/seeds/results.json');

/** The three sources of the page as they are now. */
export async function readSources(): Promise<Page> {
  const results = StoredResults.parse(JSON.parse(await readFile(recorded, 'utf8')));
  return { sections, tags: await scanTags(tests), results };
}

async function runTests(files: readonly string[], report: string): Promise<void> {
  const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--reporter=default', '--reporter=json', `--outputFile=${report}`];
  const child = spawn(process.execPath, [...args, ...files], { cwd: root, stdio: 'inherit' });
  await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
}

async function record(words: readonly string[]): Promise<void> {
  const sources = await readSources();
  const { tags } = sources;
  const all = (await testFilesOf(tests, tags)).map((file) => `test/${file}`);
  const folder = await mkdtemp(path.join(tmpdir(), 'seeds-'));
  const results: Record<string, Counts> = {};
  try {
    const report = path.join(folder, 'report.json');
    const named = words.some((word) => !word.startsWith('-'));
    await runTests(named ? words : [...words, ...all], report);
    const ran = await readReport(report);
    for (const tag of tags) {
      const counts = countsOf(ran, tag) ?? (named ? sources.results[keyOf(tag)] : undefined);
      if (counts !== undefined) results[keyOf(tag)] = counts;
    }
  } finally {
    await rm(folder, { recursive: true });
  }
  const sorted = Object.fromEntries(
    Object.entries(results).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
  await writeFile(recorded, `${JSON.stringify(sorted, null, 2)}\n`);
  await writeFile(page, renderSeeds({ ...sources, results: sorted }));
  console.log(path.relative(root, page));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await record(process.argv.slice(2));
