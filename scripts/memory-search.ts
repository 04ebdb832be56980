/**
 * What a search costs in a large store: `node scripts/memory-search.ts [LEARNINGS]`, 100 000 unless given. Words follow
 * Zipf's law, as in real text; a query shares half of its words with one learning.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createRandom } from '../src/adapters/clock/seeded-random.ts';
import { openStore } from '../src/adapters/sqlite/store.ts';
import { namedPaths } from '../src/core/memory/learning.ts';
import type { NewLearning } from '../src/ports/memory.ts';
import { shareOf } from './share-of.ts';

const count = Number(process.argv[2] ?? 100_000);
const queries = 500;
const tries = 5;
const limit = 5;
const now = count * 1000;
const vocabulary = 50_000;
const folder = mkdtempSync(path.join(tmpdir(), 'loopwright-memory-search-'));
const file = path.join(folder, 'state.db');
const random = createRandom(1);

/** A word of rank 1 is everywhere, one of rank 50 000 nearly nowhere. */
function word(): string {
  const rank = Math.floor(vocabulary ** random.next());
  return `w${rank.toString(36)}`;
}

function words(length: number): readonly string[] {
  return Array.from({ length }, word);
}

function learning(index: number): NewLearning {
  const [folderName = '', name = ''] = words(2);
  const content = `${words(30).join(' ')} src/${folderName}/${name}.ts`;
  return {
    id: `learning-${index}`,
    category: 'gotcha',
    content,
    tags: [],
    paths: namedPaths(content),
    createdAt: index * 1000,
    origin: 'person',
  };
}

/** The least of some tries: what the search costs without what else the machine does. */
async function cost(search: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < tries; round++) {
    const began = performance.now();
    await search();
    least = Math.min(least, performance.now() - began);
  }
  return least;
}

try {
  await using store = await openStore(file);
  const all = Array.from({ length: count }, (_, index) => learning(index));
  const before = process.cpuUsage();
  for (let from = 0; from < count; from += 1000) {
    await store.write((tx) => tx.learnings.addMissing(all.slice(from, from + 1000)));
  }
  const { user, system } = process.cpuUsage(before);
  process.stdout.write(`added at ${Math.round(count / ((user + system) / 1e6))} a second of CPU\n`);
  process.stdout.write(`store ${(statSync(file).size / 1e6).toFixed(0)} MB\n`);
  const costs: number[] = [];
  for (let index = 0; index < queries; index++) {
    const known = all[Math.floor(random.next() * count)]?.content.split(' ') ?? [];
    const text = [...known.slice(0, 20), ...words(20)];
    const title = text.slice(0, 8).join(' ');
    const description = text.slice(8).join(' ');
    const about = { title, description, signature: null, scope: null };
    costs.push(
      await cost(() => store.read((tx) => tx.learningIndex.search({ ...about, limit, now }))),
    );
  }
  process.stdout.write(
    `search p50 ${shareOf(costs, 0.5).toFixed(1)} ms, p95 ${shareOf(costs, 0.95).toFixed(1)} ms\n`,
  );
} finally {
  rmSync(folder, { recursive: true });
}
