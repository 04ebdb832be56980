import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createKnowledgeFiles } from '../../../src/adapters/files/knowledge-files.ts';
import { openProjectAt } from '../../../src/daemon/compose.ts';
import { runInside } from '../../../src/cli/inside/run-inside.ts';
import { indexKnowledge } from '../../../src/core/memory/knowledge.ts';
import { gitRepo } from '../../support/git-repo.ts';

const signal = AbortSignal.timeout(60_000);

it.each(['the checkout', 'a revision'])(
  'of %s are parsed and indexed again only when they change',
  async (where) => {
    await using repo = await gitRepo();
    const words = 'The parser of dates splits each token and its neighbours. '.repeat(120);
    for (let i = 0; i < 60; i++)
      await repo.write(`docs/k${i}.md`, `---\ntags: [t${i}]\n---\n# K${i}\n${words}`);
    await repo.commitAll('knowledge');
    await using opened = await openProjectAt({
      cwd: repo.path,
      env: { ...repo.env },
      home: repo.env['HOME'] ?? '/nonexistent',
      version: '0.0.0-test',
      flags: {},
      publish: () => undefined,
      inside: runInside,
    });
    const knowledge = createKnowledgeFiles(opened.project);
    const read = async () => {
      const revision = where === 'a revision' ? await repo.git('rev-parse', 'HEAD') : null;
      return (
        await knowledge.read(
          { globs: ['docs/*.md'], map: null, isMapNamed: false, revision },
          signal,
        )
      ).files;
    };
    const first = await read();
    expect(first).toHaveLength(60);
    const again = await read();
    expect(again.every((file, index) => file === first[index])).toBe(true);
    expect(again.every((file) => indexKnowledge(file) === indexKnowledge(file))).toBe(true);
    // The same size, so that only its times say that it is another.
    const changed = `---\ntags: [t7]\n---\n# K7\n${words.replaceAll('dates', 'times')}`;
    await writeFile(path.join(repo.path, 'docs/k7.md'), changed);
    await repo.commitAll('changed');
    const later = await read();
    expect(later.filter((file, index) => file !== first[index]).map(({ path: p }) => p)).toEqual([
      'docs/k7.md',
    ]);
    expect(later.find(({ path: p }) => p === 'docs/k7.md')?.text).toContain('parser of times');
  },
);
