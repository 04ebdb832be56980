import { expect, test } from 'vitest';
import { standstillOf } from '../../../src/core/graph/standstill.ts';
import type { TaskStatus } from '../../../src/core/task/task.ts';

const task = (id: string, status: TaskStatus, more: { parentId?: string; held?: number } = {}) => ({
  id,
  status,
  parentId: more.parentId ?? null,
  held: more.held ?? 0,
});
const after = (taskId: string, ...needs: readonly string[]) =>
  needs.map((dependsOn) => ({ taskId, dependsOn }));

test.each(['failed', 'blocked', 'paused', 'cancelled', 'draft'] as const)(
  'whatever waits behind a task that is %s waits for a person, however far behind',
  (status) => {
    const tasks = [task('a', status), task('b', 'pending'), task('c', 'pending')];
    const edges = [...after('b', 'a'), ...after('c', 'b')];
    expect(standstillOf(tasks, edges)).toEqual({ forPerson: 2, forOthers: 0 });
  },
);

test('what waits for work under way waits for no person', () => {
  const tasks = [task('a', 'running'), task('b', 'pending'), task('c', 'pending')];
  const edges = [...after('b', 'a'), ...after('c', 'b')];
  expect(standstillOf(tasks, edges)).toEqual({ forPerson: 0, forOthers: 2 });
});

test('one of several prerequisites is enough', () => {
  const tasks = [task('a', 'running'), task('b', 'failed'), task('c', 'pending')];
  expect(standstillOf(tasks, after('c', 'a', 'b'))).toEqual({ forPerson: 1, forOthers: 0 });
});

test('a parent waits for its children, and children for a parent that holds them', () => {
  const tasks = [
    task('p', 'pending'),
    task('c', 'cancelled', { parentId: 'p' }),
    task('d', 'done', { parentId: 'p' }),
    task('q', 'paused'),
    task('e', 'pending', { parentId: 'q', held: 1 }),
    task('f', 'pending'),
    task('r', 'pending'),
    task('g', 'running', { parentId: 'r' }),
  ];
  expect(standstillOf(tasks, after('f', 'e'))).toEqual({ forPerson: 3, forOthers: 1 });
});

test('a chain of thousands is walked', () => {
  const tasks = Array.from({ length: 20_000 }, (_, index) =>
    task(`t${index}`, index === 0 ? 'failed' : 'pending'),
  );
  const edges = tasks.slice(1).flatMap(({ id }, index) => after(id, `t${index}`));
  expect(standstillOf(tasks, edges)).toEqual({ forPerson: 19_999, forOthers: 0 });
});
