import { expect, test } from 'vitest';
import { standstillOf } from '../../../src/core/graph/standstill.ts';
import type { TaskStatus } from '../../../src/core/task/task.ts';

const task = (id: string, status: TaskStatus, more: { parentId?: string; held?: number } = {}) => ({
  id,
  status,
  parentId: more.parentId ?? null,
  held: more.held ?? 0,
});
const none: ReadonlySet<string> = new Set();
const after = (taskId: string, ...needs: readonly string[]) =>
  needs.map((dependsOn) => ({ taskId, dependsOn }));

test.each(['failed', 'blocked', 'paused', 'cancelled', 'draft'] as const)(
  'whatever waits behind a task that is %s waits for a person, however far behind',
  (status) => {
    const tasks = [task('a', status), task('b', 'pending'), task('c', 'pending')];
    const edges = [...after('b', 'a'), ...after('c', 'b')];
    expect(standstillOf(tasks, edges, none)).toEqual({ forPerson: 2, forNextRun: 0, forOthers: 0 });
  },
);

test('what waits for work under way waits for no person', () => {
  const tasks = [task('a', 'running'), task('b', 'pending'), task('c', 'pending')];
  const edges = [...after('b', 'a'), ...after('c', 'b')];
  expect(standstillOf(tasks, edges, none)).toEqual({ forPerson: 0, forNextRun: 0, forOthers: 2 });
});

test('one of several prerequisites is enough', () => {
  const tasks = [task('a', 'running'), task('b', 'failed'), task('c', 'pending')];
  expect(standstillOf(tasks, after('c', 'a', 'b'), none)).toEqual({
    forPerson: 1,
    forNextRun: 0,
    forOthers: 0,
  });
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
  expect(standstillOf(tasks, after('f', 'e'), none)).toEqual({
    forPerson: 3,
    forNextRun: 0,
    forOthers: 1,
  });
});

test('a chain of thousands is walked', () => {
  const tasks = Array.from({ length: 20_000 }, (_, index) =>
    task(`t${index}`, index === 0 ? 'failed' : 'pending'),
  );
  const edges = tasks.slice(1).flatMap(({ id }, index) => after(id, `t${index}`));
  expect(standstillOf(tasks, edges, none)).toEqual({
    forPerson: 19_999,
    forNextRun: 0,
    forOthers: 0,
  });
});

test('what waits behind a task that the next run goes on with waits for no person, unless it waits for one as well', () => {
  const tasks = [
    task('paused', 'paused'),
    task('failed', 'failed'),
    task('b', 'pending'),
    task('c', 'pending'),
    task('child', 'pending', { parentId: 'paused', held: 1 }),
    task('both', 'pending'),
  ];
  const edges = [...after('b', 'paused'), ...after('c', 'b'), ...after('both', 'c', 'failed')];
  const goesOn = new Set(['paused']);
  expect(standstillOf(tasks, edges, goesOn)).toEqual({
    forPerson: 1,
    forNextRun: 3,
    forOthers: 0,
  });
});
