import { describe, expect, test } from 'vitest';
import { readMarkdown } from '../../../src/core/task/markdown.ts';
import { planImport } from '../../../src/core/task/plan-import.ts';
import { storedTask } from './stored-task.ts';

describe('an import into nothing', () => {
  test('adds in the order of the file, links what comes later afterwards, and ticks last', () => {
    const plan = readMarkdown(
      '- [ ] A (after: c)\n  - [x] B\n- [x] C\n- [ ] D (after: c) (priority: low)\n',
    );
    const { operations, counts } = planImport({ tasks: [], edges: [] }, plan);
    expect(operations).toEqual([
      {
        type: 'add',
        key: '#1',
        title: 'A',
        parent: null,
        after: [],
        fields: {},
        status: 'pending',
      },
      {
        type: 'add',
        key: '#2',
        title: 'B',
        parent: fresh('#1'),
        after: [],
        fields: {},
        status: 'pending',
      },
      {
        type: 'add',
        key: '#3',
        title: 'C',
        parent: null,
        after: [],
        fields: {},
        status: 'pending',
      },
      {
        type: 'add',
        key: '#4',
        title: 'D',
        parent: null,
        after: [fresh('#3')],
        fields: { priority: 'low' },
        status: 'pending',
      },
      { type: 'depend', task: fresh('#1'), after: [fresh('#3')] },
      { type: 'finish', task: fresh('#2') },
      { type: 'finish', task: fresh('#3') },
    ]);
    expect(counts).toEqual({ added: 4, updated: 0, unchanged: 0 });
  });

  test('does not tick a parent that has an open child', () => {
    const plan = readMarkdown('- [x] A\n  - [x] B\n    - [ ] C\n');
    const { operations } = planImport({ tasks: [], edges: [] }, plan);
    expect(operations.map(({ type }) => type)).toEqual(['add', 'add', 'add']);
  });
});

describe('an import into stored tasks', () => {
  const stored = {
    tasks: [
      storedTask({ id: 't-1', title: 'API' }),
      storedTask({ id: 't-2', title: 'Tests', parentId: 't-1', status: 'failed' }),
      storedTask({ id: 't-3', title: 'Web', description: 'Old words.', validation: 'make web' }),
      storedTask({ id: 't-4', title: 'Tests', parentId: 't-3', status: 'running' }),
      storedTask({ id: 't-5', title: 'Other' }),
    ],
    edges: [{ taskId: 't-3', dependsOn: 't-1' }],
  };

  test('knows tasks by the path of their titles and changes only what differs', () => {
    const plan = readMarkdown(
      [
        '- [ ] API',
        '  - [x] Tests',
        '- [ ] Web (after: other)',
        '  New words.',
        '  - [x] Tests',
        '  - [ ] Docs',
      ].join('\n'),
    );
    const { operations, counts } = planImport(stored, plan);
    expect(operations).toEqual([
      { type: 'edit', id: 't-3', fields: { description: 'New words.' } },
      {
        type: 'add',
        key: '#5',
        title: 'Docs',
        parent: known('t-3'),
        after: [],
        fields: {},
        status: 'pending',
      },
      { type: 'depend', task: known('t-3'), after: [known('t-5')] },
      // The other “Tests” is being worked on, which no tick in a file cuts short.
      { type: 'finish', task: known('t-2') },
    ]);
    expect(counts).toEqual({ added: 1, updated: 2, unchanged: 2 });
  });

  test('leaves alone what the file does not say', () => {
    const plan = readMarkdown('- [ ] API\n- [ ] Web (after: api)\n');
    const { operations, counts } = planImport(stored, plan);
    expect(operations).toEqual([]);
    expect(counts).toEqual({ added: 0, updated: 0, unchanged: 2 });
  });

  test('takes equal titles in their order', () => {
    const twins = [
      storedTask({ id: 't-1', title: 'Tests' }),
      storedTask({ id: 't-2', title: 'Tests' }),
    ];
    const plan = readMarkdown('- [ ] Tests\n- [x] Tests\n- [ ] Tests\n');
    const { operations, counts } = planImport({ tasks: twins, edges: [] }, plan);
    expect(operations.map((operation) => operation.type)).toEqual(['add', 'finish']);
    expect(operations[1]).toMatchObject({ task: { kind: 'stored', id: 't-2' } });
    expect(counts).toEqual({ added: 1, updated: 1, unchanged: 1 });
  });

  test('refuses a cycle that only file and store together make', () => {
    const plan = readMarkdown('- [ ] API (after: web)\n');
    expect(() => planImport(stored, plan)).toThrow(
      expect.objectContaining({
        code: 'task.cycle',
        message: 'these tasks would wait for each other for ever: API → Web → API',
      }),
    );
  });

  test('judges only the graph as it will be', () => {
    const plan = readMarkdown('- [ ] API (after: web)\n- [ ] Web\n');
    expect(planImport(stored, plan).operations.map(({ type }) => type)).toEqual([
      'depend',
      'depend',
    ]);
  });

  test('refuses a reference to nothing, and one that may mean several, with the line', () => {
    expect(() => planImport(stored, readMarkdown('- [ ] A\n- [ ] B (after: nowhere)\n'))).toThrow(
      'line 2: “B” comes after “nowhere”, which nothing is called',
    );
    expect(() => planImport(stored, readMarkdown('- [ ] A (after: tests)\n'))).toThrow(
      'line 1: “tests” may mean t-2 or t-4',
    );
  });
});

function fresh(key: string) {
  return { kind: 'new', key };
}

function known(id: string) {
  return { kind: 'stored', id };
}
