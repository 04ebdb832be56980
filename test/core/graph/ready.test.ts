import { describe, expect, test } from 'vitest';
import { isReady, type Standing } from '../../../src/core/graph/ready.ts';
import { taskStatuses } from '../../../src/core/task/task.ts';

const leaf: Standing = {
  status: 'pending',
  blockers: 0,
  children: 0,
  openChildren: 0,
  held: 0,
  validation: null,
};

describe('a task is ready', () => {
  test('only while it is pending', () => {
    const ready = taskStatuses.filter((status) => isReady({ ...leaf, status }));
    expect(ready).toEqual(['pending']);
  });

  test('only without open dependencies and without a failed, cancelled or paused ancestor', () => {
    expect(isReady({ ...leaf, blockers: 1 })).toBe(false);
    expect(isReady({ ...leaf, held: 1 })).toBe(false);
  });

  test('as a parent only when all children are done and it has a validation to run', () => {
    const parent = { ...leaf, children: 2, validation: 'npm test' };
    expect(isReady({ ...parent, openChildren: 1 })).toBe(false);
    expect(isReady(parent)).toBe(true);
    expect(isReady({ ...parent, validation: null })).toBe(false);
  });
});
