import { describe, expect, test } from 'vitest';
import { readBeads, writeBeads } from '../../../src/core/task/beads.ts';
import { storedTask } from './stored-task.ts';

describe('a file of beads', () => {
  test('becomes tasks: blocks is a dependency, parent-child a parent, closed is done', () => {
    const plan = readBeads(
      lines(
        { id: 'bd-1', title: 'Epic', status: 'open', priority: 0, issue_type: 'epic' },
        {
          id: 'bd-2',
          title: 'Child',
          description: 'Do it.',
          status: 'in_progress',
          priority: 4,
          dependencies: [
            { issue_id: 'bd-2', depends_on_id: 'bd-1', type: 'parent-child' },
            { issue_id: 'bd-2', depends_on_id: 'bd-3', type: 'blocks' },
            { issue_id: 'bd-2', depends_on_id: 'bd-9', type: 'related' },
          ],
        },
        { id: 'bd-3', title: 'Before', status: 'closed', acceptance_criteria: 'It works.' },
        {
          id: 'bd-1.2',
          title: 'By id',
          status: 'deferred',
          dependencies: [{ issue_id: 'bd-3', dep_type: 'blocks' }],
        },
      ),
    );
    expect(
      plan.tasks.map(({ title, parent, after, status, fields }) => ({
        title,
        parent,
        after,
        status,
        fields,
      })),
    ).toEqual([
      {
        title: 'Epic',
        parent: null,
        after: [],
        status: 'pending',
        fields: { description: '', priority: 'critical' },
      },
      {
        title: 'Child',
        parent: '#1',
        after: ['#3'],
        status: 'pending',
        fields: { description: 'Do it.', priority: 'low' },
      },
      {
        title: 'Before',
        parent: null,
        after: [],
        status: 'done',
        fields: { description: 'Acceptance criteria:\n\nIt works.', priority: 'normal' },
      },
      {
        title: 'By id',
        parent: '#1',
        after: ['#3'],
        status: 'draft',
        fields: { description: '', priority: 'normal' },
      },
    ]);
  });

  test('passes over deleted issues, what depends on them, other records and blank lines', () => {
    const text = `${lines(
      { id: 'bd-1', title: 'Gone', status: 'tombstone' },
      { id: 'bd-2', title: 'Kept', dependencies: [{ depends_on_id: 'bd-1', type: 'blocks' }] },
      { _type: 'memory', key: 'x' },
      { _type: 'issue', id: 'bd-3', title: 'Also kept' },
    )}\n\n`;
    expect(readBeads(text).tasks.map(({ title, after }) => [title, after])).toEqual([
      ['Kept', []],
      ['Also kept', []],
    ]);
  });

  test.each([
    ['not JSON', '{"id":"bd-1","title":"A"}\n{broken', /^line 2: not JSON: /],
    ['a missing title', '\n{"id":"bd-1"}', /^line 2: .*title/s],
    [
      'an unknown issue',
      lines({ id: 'bd-1', title: 'A', dependencies: [{ depends_on_id: 'bd-7' }] }),
      /^line 1: “bd-1” refers to “bd-7”, which is not in this file$/,
    ],
    [
      'an id used twice',
      lines({ id: 'a', title: 'A' }, { id: 'a', title: 'B' }),
      /^line 2: the id “a” is used twice$/,
    ],
    [
      'a priority out of range',
      lines({ id: 'a', title: 'A', priority: 7 }),
      /^line 1: .*priority/s,
    ],
  ])('is refused with the line for %s', (_name, text, message) => {
    expect(() => readBeads(text)).toThrow(
      expect.objectContaining({ code: 'task.import', message: expect.stringMatching(message) }),
    );
  });
});

test('written beads hold everything and read back', () => {
  const tasks = [
    storedTask({ id: 't-1', title: 'Epic', children: 1, priority: 'critical' }),
    storedTask({ id: 't-2', title: 'Child', parentId: 't-1', status: 'done', description: 'Text' }),
    storedTask({ id: 't-3', title: 'Off', status: 'cancelled', priority: 'low' }),
  ];
  const text = writeBeads(tasks, [{ taskId: 't-3', dependsOn: 't-2' }], (time) => `T${time}`);
  expect(text).toMatchInlineSnapshot(`
    "{"id":"t-1","title":"Epic","status":"open","priority":0,"issue_type":"epic","created_at":"T0","updated_at":"T0"}
    {"id":"t-2","title":"Child","description":"Text","status":"closed","priority":2,"issue_type":"task","created_at":"T0","updated_at":"T0","closed_at":"T0","dependencies":[{"issue_id":"t-2","depends_on_id":"t-1","type":"parent-child"}]}
    {"id":"t-3","title":"Off","status":"closed","priority":3,"issue_type":"task","created_at":"T0","updated_at":"T0","closed_at":"T0","close_reason":"cancelled","dependencies":[{"issue_id":"t-3","depends_on_id":"t-2","type":"blocks"}]}
    "
  `);
  const back = readBeads(text);
  expect(
    back.tasks.map(({ title, parent, after, status }) => [title, parent, after, status]),
  ).toEqual([
    ['Epic', null, [], 'pending'],
    ['Child', '#1', [], 'done'],
    ['Off', null, ['#2'], 'draft'],
  ]);
});

function lines(...issues: readonly object[]): string {
  return issues.map((issue) => JSON.stringify(issue)).join('\n');
}
