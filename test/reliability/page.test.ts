import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readResults } from '../../scripts/reliability.ts';
import { faults } from '../../scripts/reliability/faults.ts';
import { keyOf, renderReliability } from '../../scripts/reliability/render.ts';

const root = path.join(import.meta.dirname, '../..');

describe('docs/design/reliability.md', () => {
  it('is what the table and the recorded results say now (node scripts/reliability.ts)', async () => {
    const page = await readFile(path.join(root, 'docs/design/reliability.md'), 'utf8');
    expect(page).toBe(renderReliability(faults, await readResults()));
  });

  it('names tests that exist', async () => {
    const missing: string[] = [];
    for (const test of faults.flatMap(({ tests }) => tests)) {
      const source = await readFile(path.join(root, 'test', test.file), 'utf8').catch(() => '');
      if (!source.includes(test.title)) missing.push(keyOf(test));
    }
    expect(missing).toEqual([]);
  });

  it('shows no fault as covered by a test that failed or never ran', async () => {
    const results = await readResults();
    const unproven = faults
      .flatMap(({ tests }) => tests.map(keyOf))
      .filter((key) => (results[key]?.passed ?? 0) === 0 || results[key]?.failed !== 0);
    expect(unproven).toEqual([]);
  });

  it('has each fault once, and a reason where there is no test', () => {
    const ids = faults.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const bare = faults.filter(({ tests, untested }) => tests.length === 0 && !untested);
    expect(bare.map(({ id }) => id)).toEqual([]);
  });
});
