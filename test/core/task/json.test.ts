import { describe, expect, test } from 'vitest';
import { readPlainTasks } from '../../../src/core/task/json.ts';

describe('a file of plain objects', () => {
  test('nests by children, links by id, slug or path, and keeps unnamed fields open', () => {
    const plan = readPlainTasks(
      {
        tasks: [
          {
            id: 'a',
            title: 'Parser',
            priority: 'high',
            type: 'ralph',
            validation: 'npm test',
            'max-retries': 2,
            children: [
              { title: 'Lexer', description: 'Words.' },
              { title: 'Grammar', after: 'lexer' },
            ],
          },
          { title: 'Ship', after: ['a', 'parser/grammar'], status: 'draft' },
          { title: 'Bench', parent: 'a', status: 'running' },
          { title: 'Old', status: 'cancelled' },
          { title: 'Ready', status: 'done', maxRetries: 0 },
        ],
      },
      'yaml',
    );
    expect(plan.format).toBe('yaml');
    expect(
      plan.tasks.map(({ title, parent, after, status }) => ({ title, parent, after, status })),
    ).toEqual([
      { title: 'Parser', parent: null, after: null, status: 'pending' },
      { title: 'Lexer', parent: '#1', after: null, status: 'pending' },
      { title: 'Grammar', parent: '#1', after: ['#2'], status: 'pending' },
      { title: 'Ship', parent: null, after: ['#1', '#3'], status: 'draft' },
      { title: 'Bench', parent: '#1', after: null, status: 'pending' },
      { title: 'Old', parent: null, after: null, status: 'draft' },
      { title: 'Ready', parent: null, after: null, status: 'done' },
    ]);
    expect(plan.tasks[0]?.fields).toEqual({
      priority: 'high',
      type: 'ralph',
      validation: 'npm test',
      maxRetries: 2,
    });
    expect(plan.tasks[6]?.fields).toEqual({ maxRetries: 0 });
  });

  test('may be the list alone', () => {
    expect(readPlainTasks([{ title: 'A' }], 'json').tasks).toHaveLength(1);
  });

  test('puts a parent named later before its child', () => {
    const plan = readPlainTasks(
      [
        { title: 'Child', parent: 'p' },
        { id: 'p', title: 'Parent' },
      ],
      'json',
    );
    expect(plan.tasks.map(({ title }) => title)).toEqual(['Parent', 'Child']);
  });

  test('may nest deeper than the stack', () => {
    let deep: { title: string; children: unknown[] } = { title: 'leaf', children: [] };
    for (let depth = 0; depth < 10_000; depth += 1) deep = { title: `${depth}`, children: [deep] };
    expect(readPlainTasks([deep], 'json').tasks).toHaveLength(10_001);
  });
});

describe('a file of plain objects is refused, with the place,', () => {
  test.each<[string, unknown, RegExp]>([
    ['when it is no list', { todo: [] }, /^the file: it holds no list of tasks$/],
    ['for an unknown key', [{ title: 'A', prio: 'high' }], /^tasks\[0\]: .*prio/s],
    [
      'for a wrong value deep inside',
      [{ title: 'A', children: [{ title: 1 }] }],
      /^tasks\[0\]\.children\[0\]: .*title/s,
    ],
    ['for an unknown priority', [{ title: 'A', priority: 'urgent' }], /priority/],
    ['for an empty title', [{ title: ' \n' }], /^tasks\[0\]: a task needs a title$/],
    [
      'for an id used twice',
      [
        { id: 'a', title: 'A' },
        { id: 'a', title: 'B' },
      ],
      /^tasks\[1\]: the id “a” is used twice$/,
    ],
    [
      'for an unknown parent',
      [{ title: 'A', parent: 'x' }],
      /^tasks\[0\]: no task in this file has the id “x”$/,
    ],
    [
      'for circular parents',
      [
        { id: 'a', title: 'A', parent: 'b' },
        { id: 'b', title: 'B', parent: 'a' },
      ],
      /is its own ancestor$/,
    ],
  ])('%s', (_name, content, message) => {
    expect(() => readPlainTasks(content, 'json')).toThrow(
      expect.objectContaining({ code: 'task.import', message: expect.stringMatching(message) }),
    );
  });
});
