import { describe, expect, test } from 'vitest';
import { acceptanceCriteria } from '../../../src/core/task/acceptance.ts';
import { isPrd, readPrd } from '../../../src/core/task/prd.ts';

const prd = {
  project: 'App',
  branchName: 'ralph/x',
  description: 'Something',
  userStories: [
    {
      id: 'US-002',
      title: 'Show it',
      description: 'As a user I see it.',
      acceptanceCriteria: ['It is red', 'Typecheck passes'],
      priority: 2,
      passes: false,
      notes: 'Mind the gap.',
    },
    {
      id: 'US-001',
      title: 'Store it',
      acceptanceCriteria: ['Migrated'],
      priority: 1,
      passes: true,
    },
  ],
};

describe('a prd.json', () => {
  test('becomes tasks in the order of its priorities, with criteria as boxes', () => {
    const { tasks, format } = readPrd(prd);
    expect(format).toBe('prd');
    expect(tasks.map(({ title, status, after }) => ({ title, status, after }))).toEqual([
      { title: 'Store it', status: 'done', after: null },
      { title: 'Show it', status: 'pending', after: null },
    ]);
    const description = tasks[1]?.fields.description ?? '';
    expect(description).toMatchInlineSnapshot(`
      "As a user I see it.

      - [ ] It is red
      - [ ] Typecheck passes

      Mind the gap."
    `);
    expect(acceptanceCriteria(description)).toHaveLength(2);
    expect(tasks[0]?.fields.description).toBe('- [x] Migrated');
  });

  test('is known by its stories', () => {
    expect(isPrd(prd)).toBe(true);
    expect(isPrd({ tasks: [] })).toBe(false);
    expect(isPrd(null)).toBe(false);
  });

  test('is refused with the place of a wrong story', () => {
    expect(() => readPrd({ userStories: [{ title: 'A' }, { id: 'US-2' }] })).toThrow(
      /^userStories\[1\]: .*title/s,
    );
    expect(() => readPrd({ userStories: 'none' })).toThrow(/^the file: /);
  });
});
