import { describe, expect, test } from 'vitest';
import { resolveTask } from '../../../src/core/task/resolve.ts';
import { slugOf } from '../../../src/core/task/slug.ts';

const known = [
  task('t-1a2b3c4d', 'Add login'),
  task('t-1a2b9999', 'Add logout'),
  task('t-77', 'Short'),
  task('t-770', 'Longer'),
  task('t-99999999', 'Add login'),
];

describe('a reference means', () => {
  test('the task with exactly that id, even when it begins another id', () => {
    expect(resolveTask('t-77', known).title).toBe('Short');
  });

  test('else the only id that begins so', () => {
    expect(resolveTask('t-1a2b3', known).id).toBe('t-1a2b3c4d');
  });

  test('else the only title with that slug, also written as a title', () => {
    expect(resolveTask('add-logout', known).id).toBe('t-1a2b9999');
    expect(resolveTask(' Add Logout! ', known).id).toBe('t-1a2b9999');
  });
});

describe('a reference is refused', () => {
  test('with the candidates when several ids begin so', () => {
    expect(() => resolveTask('t-1a', known)).toThrow(
      expect.objectContaining({
        code: 'task.ambiguous',
        message: '“t-1a” may mean 2 tasks:\n  t-1a2b3c4d  Add login\n  t-1a2b9999  Add logout',
        details: { reference: 't-1a', candidates: ['t-1a2b3c4d', 't-1a2b9999'] },
      }),
    );
  });

  test('with the candidates when several titles have that slug', () => {
    expect(() => resolveTask('add-login', known)).toThrow(
      expect.objectContaining({ code: 'task.ambiguous' }),
    );
  });

  test('with the nearest when nothing is called so', () => {
    expect(() => resolveTask('add-logut', known)).toThrow(
      expect.objectContaining({
        code: 'task.not_found',
        message: 'no task is called “add-logut”',
        hint: 'Did you mean t-1a2b9999 “Add logout”?',
      }),
    );
  });

  test('when it is empty or nothing is near', () => {
    const refused = expect.objectContaining({
      code: 'task.not_found',
      hint: 'List them with: loopwright task list',
    });
    expect(() => resolveTask('  ', known)).toThrow(refused);
    expect(() => resolveTask('something else', known)).toThrow(refused);
  });

  test('with a bounded list however many candidates there are', () => {
    const many = Array.from({ length: 5000 }, (_, index) => task(`t-${index}`, 'Same'));
    expect(() => resolveTask('same', many)).toThrow(/may mean 5000 tasks:[^]*and 4990 more$/);
  });
});

function task(id: string, title: string) {
  return { id, title, slug: slugOf(title) };
}
