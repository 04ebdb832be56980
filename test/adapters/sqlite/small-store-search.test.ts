import { expect, test } from 'vitest';
import type { Store } from '../../../src/ports/store.ts';
import { fillers, foreignTasks, smallCases } from '../../core/memory/rank/small-stores.ts';
import { sqliteFixture } from './sqlite-fixture.ts';
import { shows } from '../../support/shows.ts';

const now = Date.UTC(2026, 0, 1);

type Text = { readonly title: string; readonly description: string };

async function find(store: Store, { title, description }: Text): Promise<readonly string[]> {
  const query = { title, description, signature: null, scope: null, limit: 5, now };
  return store.read(async (tx) => (await tx.learningIndex.search(query)).map(({ id }) => id));
}

/** A store of `size` learnings of which one is the case's. */
async function fill(store: Store, wanted: number, size: number): Promise<void> {
  const { content, path } = smallCases[wanted]!;
  const others = fillers.slice(0, size - 1);
  await store.write(async (tx) => {
    for (const [index, each] of [...others, { content, path }].entries()) {
      await tx.learnings.add({
        id: index === others.length ? 'l-wanted' : `l-${index}`,
        category: 'pitfall',
        content: each.content,
        tags: [each.path],
        paths: [each.path],
        createdAt: now - (size - index) * 3_600_000,
        origin: 'agent',
      });
    }
  });
}

test.each([1, 3, 10, 30])(
  'a store of %i finds the obvious match, and nothing for a foreign task',
  async (size) => {
    shows('001.learnings-single-match');
    const wrong: string[] = [];
    for (const wanted of smallCases.keys()) {
      await using fixture = await sqliteFixture();
      await fill(fixture.store, wanted, size);
      const [first] = await find(fixture.store, smallCases[wanted]!);
      if (first !== 'l-wanted') wrong.push(`${smallCases[wanted]!.title} → ${first}`);
      const otherCases = smallCases.filter((_, index) => index !== wanted);
      for (const task of [...foreignTasks, ...otherCases]) {
        const ids = await find(fixture.store, task);
        if (ids.length > 0) wrong.push(`foreign: ${task.title} → ${ids.join(' ')}`);
      }
    }
    expect(wrong).toEqual([]);
  },
);

test('an obvious match in a small store comes without those that share a stray word', async () => {
  await using fixture = await sqliteFixture();
  await fill(fixture.store, 0, 30);
  expect(await find(fixture.store, smallCases[0]!)).toEqual(['l-wanted']);
});

test('what a person taught is given to a task whose title names one of its tags', async () => {
  await using fixture = await sqliteFixture();
  const { store } = fixture;
  const taught = async (
    id: string,
    content: string,
    tags: readonly string[],
    origin: 'person' | 'agent',
  ) =>
    store.write((tx) =>
      tx.learnings.add({ id, category: 'other', content, tags, createdAt: now, origin }),
    );
  await taught('l-gen', 'Run npm run gen before the tests.', ['npm', 'codegen'], 'person');
  await taught('l-lock', 'Delete the lockfile before building it.', ['widget', 'test'], 'person');
  await taught('l-agent', 'Zebras eat grass in the morning.', ['zebra'], 'agent');
  const found = (title: string) => find(store, { title, description: '' });
  expect(await found('npm test fails')).toEqual(['l-gen']);
  expect(await found('codegen is stale')).toEqual(['l-gen']);
  expect(await found('build the widget')).toEqual(['l-lock']);
  // Neither a word of all software nor an agent's tag is enough.
  expect(await found('make the test pass')).toEqual([]);
  expect(await found('draw a zebra crossing on the map of the town')).toEqual([]);
});
