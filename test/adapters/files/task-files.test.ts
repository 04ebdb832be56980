import { describe, expect, test } from 'vitest';
import { readTaskFile, writeTaskFile } from '../../../src/adapters/files/task-files.ts';
import { planImport } from '../../../src/core/task/plan-import.ts';
import { storedTask } from '../../core/task/stored-task.ts';

const stored = {
  tasks: [
    storedTask({ id: 't-1', title: 'Parser', description: 'Two\n\nlines', validation: 'npm test' }),
    storedTask({ id: 't-2', title: 'Lexer', parentId: 't-1', status: 'done', priority: 'high' }),
    storedTask({ id: 't-3', title: 'Ship: it', type: 'plan', maxRetries: 2 }),
  ],
  edges: [{ taskId: 't-3', dependsOn: 't-1' }],
};

describe('a written task file', () => {
  test.each([
    ['markdown', 'plan.md'],
    ['json', 'tasks.json'],
    ['yaml', 'tasks.yml'],
    ['beads', 'issues.jsonl'],
  ] as const)('in %s is read back and changes nothing', (format, name) => {
    const text = writeTaskFile(format, stored.tasks, stored.edges);
    for (const plan of [readTaskFile(name, text), readTaskFile(null, text)]) {
      expect(plan.format).toBe(format);
      expect(planImport(stored, plan).operations).toEqual([]);
    }
  });

  test('in YAML is pleasant to read', () => {
    expect(writeTaskFile('yaml', stored.tasks, stored.edges)).toMatchInlineSnapshot(`
      "tasks:
        - id: t-1
          title: Parser
          description: |-
            Two

            lines
          status: pending
          validation: npm test
          children:
            - id: t-2
              title: Lexer
              status: done
              priority: high
        - id: t-3
          title: "Ship: it"
          status: pending
          type: plan
          max-retries: 2
          after:
            - t-1
      "
    `);
  });
});

describe('a task file', () => {
  test('that is a PRD is known by its content, in JSON and in YAML', () => {
    expect(readTaskFile('prd.json', '{"userStories": [{"title": "A"}]}').format).toBe('prd');
    expect(readTaskFile('prd.yml', 'userStories:\n  - title: A\n').format).toBe('prd');
  });

  test('may begin with a byte order mark', () => {
    expect(readTaskFile('a.json', '\uFEFF[{"title": "A"}]').tasks).toHaveLength(1);
    expect(readTaskFile('a.md', '\uFEFF- [ ] A').tasks).toHaveLength(1);
  });

  test('is read as the format that is asked for', () => {
    expect(readTaskFile('notes.md', '- title: A\n', 'yaml').tasks[0]?.title).toBe('A');
  });

  test.each([
    ['broken JSON', 'a.json', '{"tasks": [', /^the file: not JSON: /],
    ['broken YAML', 'a.yml', 'tasks:\n  - title: "A\n', /^line \d+: /],
    ['a bomb of aliases', 'a.yml', bomb(), /^the file: not usable YAML: /],
    ['a checklist without boxes', 'a.md', '# Plan\n- something\n', /^a\.md: no task was found$/],
    ['an empty list', 'a.json', '[]', /no task was found$/],
  ])('is refused for %s', (_name, file, text, message) => {
    expect(() => readTaskFile(file, text)).toThrow(
      expect.objectContaining({ code: 'task.import', message: expect.stringMatching(message) }),
    );
  });
});

/** Each level holds the one before ten times. */
function bomb(): string {
  const levels = Array.from({ length: 9 }, (_, index) => {
    const inner = index === 0 ? 'x' : `*a${index - 1}`;
    return `a${index}: &a${index} [${Array.from({ length: 10 }, () => inner).join(', ')}]`;
  });
  return `${levels.join('\n')}\ntasks: *a8\n`;
}
