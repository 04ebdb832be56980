import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { readSources } from '../../scripts/seeds.ts';
import {
  allStatements,
  bareStatements,
  isPassed,
  renderSeeds,
  type Page,
} from '../../scripts/seeds/render.ts';
import { keyOf } from '../../scripts/seeds/results.ts';

const file = path.join(import.meta.dirname, '../../docs/design/seeds.md');
let sources: Page;
beforeAll(async () => {
  sources = await readSources();
});

describe('docs/design/seeds.md', () => {
  it('is what the statements, the tags and the recorded results give now (npm run seeds)', async () => {
    expect(await readFile(file, 'utf8')).toBe(renderSeeds(sources));
  });

  it('has a test or a decision for every statement', () => {
    expect(bareStatements(sources)).toEqual([]);
  });

  it('has every statement once', () => {
    const ids = allStatements(sources).map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it('has no tag that names an unknown statement', () => {
    const known = new Set(allStatements(sources).map(({ id }) => id));
    const unknown = sources.tags.flatMap((tag) =>
      tag.ids.filter((id) => !known.has(id)).map((id) => `${id} in ${tag.file}`),
    );
    expect(unknown).toEqual([]);
  });

  it('shows no statement by a test that failed or never ran', () => {
    const unshown = sources.tags.map(keyOf).filter((key) => {
      const counts = sources.results[key];
      return counts === undefined || !isPassed(counts);
    });
    expect(unshown).toEqual([]);
  });
});
