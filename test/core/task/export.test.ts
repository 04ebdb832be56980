import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readBeads, writeBeads } from '../../../src/core/task/beads.ts';
import { toPlainTasks, writeMarkdown } from '../../../src/core/task/export.ts';
import type { ImportPlan } from '../../../src/core/task/import-plan.ts';
import { readPlainTasks } from '../../../src/core/task/json.ts';
import { readMarkdown } from '../../../src/core/task/markdown.ts';
import { planImport } from '../../../src/core/task/plan-import.ts';
import { forest, type Forest } from './arbitrary-tasks.ts';
import { storedTask } from './stored-task.ts';

describe('a written checklist', () => {
  test('looks like one a person would write', () => {
    const tasks = [
      storedTask({ id: 't-1', title: 'Parser', description: 'Accepts commas.\n\n- [ ] tested' }),
      storedTask({ id: 't-2', title: 'Lexer', parentId: 't-1', status: 'done', priority: 'high' }),
      storedTask({ id: 't-3', title: 'Tests', parentId: 't-1' }),
      storedTask({ id: 't-4', title: 'Tests', status: 'failed' }),
      storedTask({ id: 't-5', title: 'Ship (after: all)' }),
    ];
    const edges = [
      { taskId: 't-3', dependsOn: 't-2' },
      { taskId: 't-5', dependsOn: 't-3' },
      { taskId: 't-5', dependsOn: 't-4' },
    ];
    expect(writeMarkdown(tasks, edges)).toMatchInlineSnapshot(`
      "- [ ] Parser
        Accepts commas.

        \\- [ ] tested
        - [x] Lexer (priority: high)
        - [ ] Tests (after: lexer)
      - [ ] Tests
      - [ ] Ship \\(after: all) (after: parser/tests, tests#1)
      "
    `);
  });

  test('reads back to the same tree, dependencies, descriptions and priorities', () => {
    fc.assert(
      fc.property(forest, ({ tasks, edges }) => {
        const plan = readMarkdown(writeMarkdown(tasks, edges));
        expect(shape(plan)).toEqual(shapeOf({ tasks, edges }));
        expectUnchanged({ tasks, edges }, plan);
      }),
      { numRuns: 500 },
    );
  });
});

test('plain objects read back whole', () => {
  fc.assert(
    fc.property(forest, ({ tasks, edges }) => {
      const content: unknown = JSON.parse(JSON.stringify(toPlainTasks(tasks, edges)));
      const plan = readPlainTasks(content, 'json');
      expect(shape(plan)).toEqual(shapeOf({ tasks, edges }));
      expectUnchanged({ tasks, edges }, plan);
    }),
  );
});

test('beads read back to the same graph', () => {
  fc.assert(
    fc.property(forest, ({ tasks, edges }) => {
      const plan = readBeads(writeBeads(tasks, edges, String));
      expectUnchanged({ tasks, edges }, plan);
    }),
  );
});

test('a part of the tasks is written without its outside', () => {
  const child = storedTask({ id: 't-2', title: 'Child', parentId: 't-1' });
  const edges = [{ taskId: 't-2', dependsOn: 't-9' }];
  expect(writeMarkdown([child], edges)).toBe('- [ ] Child\n');
  expect(toPlainTasks([child], edges)).toEqual({
    tasks: [{ id: 't-2', title: 'Child', status: 'pending' }],
  });
});

/** Importing an export again changes nothing. */
function expectUnchanged(stored: Forest, plan: ImportPlan): void {
  const { operations, counts } = planImport(stored, plan);
  expect(operations).toEqual([]);
  expect(counts).toEqual({ added: 0, updated: 0, unchanged: stored.tasks.length });
}

type Shape = readonly { readonly path: string; readonly [field: string]: unknown }[];

function shape(plan: ImportPlan): Shape {
  const byKey = new Map(plan.tasks.map((task) => [task.key, task]));
  const pathOf = (key: string): string => {
    const task = byKey.get(key);
    if (task === undefined) return key;
    return `${task.parent === null ? '' : pathOf(task.parent)}/${task.title}`;
  };
  return plan.tasks
    .map((task) => ({
      path: pathOf(task.key),
      after: (task.after ?? []).map(pathOf).toSorted(),
      status: task.status,
      description: task.fields.description ?? '',
      priority: task.fields.priority ?? 'normal',
    }))
    .toSorted(byText);
}

function shapeOf({ tasks, edges }: Forest): Shape {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const pathOf = (id: string): string => {
    const task = byId.get(id);
    return `${task?.parentId == null ? '' : pathOf(task.parentId)}/${task?.title ?? ''}`;
  };
  return tasks
    .map((task) => ({
      path: pathOf(task.id),
      after: edges
        .filter(({ taskId }) => taskId === task.id)
        .map(({ dependsOn }) => pathOf(dependsOn))
        .toSorted(),
      status: task.status === 'done' ? 'done' : 'pending',
      description: task.description,
      priority: task.priority,
    }))
    .toSorted(byText);
}

function byText(a: object, b: object): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}
