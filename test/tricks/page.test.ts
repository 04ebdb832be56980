import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { keyOf } from '../../scripts/reliability/render.ts';
import { readRecorded } from '../../scripts/verification.ts';
import { corpusTitles } from '../../scripts/verification/corpus-results.ts';
import { figuresOf } from '../../scripts/verification/render-corpus.ts';
import { isShown, renderVerification } from '../../scripts/verification/render.ts';
import { tricks } from '../../scripts/verification/tricks.ts';

const root = path.join(import.meta.dirname, '../..');

describe('docs/design/verification.md', () => {
  it('is what the table and the recorded results say now (node scripts/verification.ts)', async () => {
    const page = await readFile(path.join(root, 'docs/design/verification.md'), 'utf8');
    expect(page).toBe(renderVerification(tricks, await readRecorded()));
  });

  it('names tests that exist', async () => {
    const missing: string[] = [];
    for (const { test } of tricks) {
      const source = await readFile(path.join(root, 'test', test.file), 'utf8');
      const name = test.title.replace(/ is caught$/, '');
      if (!source.includes(`'${name}`)) missing.push(keyOf(test));
    }
    expect(missing).toEqual([]);
  });

  it('shows no trick by a test that failed or never ran', async () => {
    const { results } = await readRecorded();
    const unshown = tricks.map(({ test }) => keyOf(test)).filter((key) => !isShown(results[key]));
    expect(unshown).toEqual([]);
  });

  it('shows every case of the corpus', async () => {
    const { corpus } = await readRecorded();
    expect(Object.keys(corpus)).toEqual(corpusTitles);
  });

  it('shows figures that are good enough: tricks caught, honest changes not refused', async () => {
    const {
      tricks: all,
      caught,
      honest,
      asked,
      refused,
    } = figuresOf((await readRecorded()).corpus);
    expect(all).toBeGreaterThanOrEqual(60);
    expect(honest).toBeGreaterThanOrEqual(24);
    expect(caught / all).toBeGreaterThanOrEqual(0.88);
    // Three in sixty: those in which the task itself changes what a test expects.
    const isAskedSeldom = asked / honest <= 0.05;
    expect({ refused, isAskedSeldom }).toEqual({ refused: 0, isAskedSeldom: true });
  });
});
