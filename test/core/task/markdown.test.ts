import { describe, expect, test } from 'vitest';
import { readMarkdown } from '../../../src/core/task/markdown.ts';

describe('a checklist', () => {
  test('becomes tasks: nesting, dependencies, done, priority, descriptions', () => {
    const plan = readMarkdown(
      [
        '# Plan',
        '',
        'Words about it.',
        '',
        '- [x] Set up',
        '- [ ] Parser (priority: high) (after: set-up)',
        '  Accepts trailing commas.',
        '',
        '      indented code',
        '  - [x] Lexer',
        '  - [ ] Grammar (after: lexer, set-up)',
        '    More words.',
        '- [ ] Release (after: Parser)',
      ].join('\n'),
    );
    expect(plan.tasks.map(brief)).toEqual([
      { key: '#1', title: 'Set up', parent: null, after: [], status: 'done', fields: {} },
      {
        key: '#2',
        title: 'Parser',
        parent: null,
        after: ['#1'],
        status: 'pending',
        fields: {
          priority: 'high',
          description: 'Accepts trailing commas.\n\n    indented code',
        },
      },
      { key: '#3', title: 'Lexer', parent: '#2', after: [], status: 'done', fields: {} },
      {
        key: '#4',
        title: 'Grammar',
        parent: '#2',
        after: ['#3', '#1'],
        status: 'pending',
        fields: { description: 'More words.' },
      },
      { key: '#5', title: 'Release', parent: null, after: ['#2'], status: 'pending', fields: {} },
    ]);
  });

  test('may use tabs, other markers, numbers, capital letters and Windows line ends', () => {
    const plan = readMarkdown('* [X] A\r\n\t+ [ ] B\r\n\t\t1. [ ] C\r\n\t\t2) [ ] D\r\n');
    expect(plan.tasks.map(({ title, parent }) => [title, parent])).toEqual([
      ['A', null],
      ['B', '#1'],
      ['C', '#2'],
      ['D', '#2'],
    ]);
  });

  test('takes one column too many as a slip, not as nesting', () => {
    const plan = readMarkdown('- [ ] A\n - [ ] B\n');
    expect(plan.tasks.map(({ parent }) => parent)).toEqual([null, null]);
  });

  test('gives text after children back to the parent, and text after a blank line at the margin to nobody', () => {
    const plan = readMarkdown(
      '- [ ] A\n  - [ ] B\n\n  of A\ngoes on\n\nof nobody\n\n- note\n- [ ] C\n',
    );
    expect(plan.tasks.map(({ title, fields }) => [title, fields.description])).toEqual([
      ['A', 'of A\ngoes on'],
      ['B', undefined],
      ['C', undefined],
    ]);
  });

  test('has no tasks in blocks of code', () => {
    const plan = readMarkdown(
      [
        '```',
        '- [ ] example',
        '```',
        '- [ ] A',
        '  ```md',
        '  - [ ] example',
        '  ```',
        '- [ ] B',
        '  ~~~',
        '- [ ] C',
      ].join('\n'),
    );
    expect(plan.tasks.map(({ title }) => title)).toEqual(['A', 'B', 'C']);
    expect(plan.tasks[0]?.fields.description).toBe('```md\n- [ ] example\n```');
  });

  test('keeps escaped boxes and notes as text', () => {
    const plan = readMarkdown(
      '- [ ] Wait \\(after: lunch) (after: x)\n  \\- [ ] a criterion\n- [ ] X\n',
    );
    expect(plan.tasks[0]).toMatchObject({
      title: 'Wait (after: lunch)',
      after: ['#2'],
      fields: { description: '- [ ] a criterion' },
    });
  });

  test('leaves other parentheses in the title', () => {
    const titles = readMarkdown('- [ ] A (priority: someday)\n- [ ] B (see: c)\n- [ ] C (after)\n');
    expect(titles.tasks.map(({ title }) => title)).toEqual([
      'A (priority: someday)',
      'B (see: c)',
      'C (after)',
    ]);
  });
});

describe('a reference in a checklist', () => {
  test('prefers siblings, and may be a path', () => {
    const plan = readMarkdown(
      [
        '- [ ] API',
        '  - [ ] Tests',
        '  - [ ] Docs (after: tests)',
        '- [ ] Web',
        '  - [ ] Tests (after: api/tests)',
      ].join('\n'),
    );
    expect(plan.tasks[2]?.after).toEqual(['#2']);
    expect(plan.tasks[4]?.after).toEqual(['#2']);
  });

  test('that may mean several tasks is an error with line and choices', () => {
    const text = '- [ ] API\n  - [ ] Tests\n- [ ] Web\n  - [ ] Tests\n- [ ] Ship (after: tests)\n';
    expect(() => readMarkdown(text)).toThrow(
      expect.objectContaining({
        code: 'task.import',
        message: 'line 5: “tests” may mean 2 tasks: api/tests (line 2), web/tests (line 4)',
      }),
    );
  });

  test('to nothing in the file is kept, to be found among the stored tasks', () => {
    expect(readMarkdown('- [ ] A (after: elsewhere)').tasks[0]).toMatchObject({
      after: [],
      outside: ['elsewhere'],
    });
  });
});

test('a box without a title is an error with its line', () => {
  expect(() => readMarkdown('- [ ] A\n- [ ] (after: a)\n')).toThrow('line 2: a task needs a title');
});

test('a large file is read in linear time', () => {
  const started = performance.now();
  const plan = readMarkdown('- [ ] Task\n  text\n'.repeat(20_000));
  expect(plan.tasks).toHaveLength(20_000);
  expect(performance.now() - started).toBeLessThan(5000);
});

function brief(task: ReturnType<typeof readMarkdown>['tasks'][number]) {
  const { key, title, parent, after, status, fields } = task;
  return { key, title, parent, after, status, fields };
}
