import { describe, expect, test } from 'vitest';
import { cascadeOf, type Relatives } from '../../../src/core/graph/cascade.ts';

const parent: Relatives = {
  status: 'pending',
  blockers: 0,
  children: 2,
  openChildren: 0,
  validation: null,
  failedBelow: 0,
  blockedBy: null,
};

describe('what a task does because of its relatives', () => {
  test.each<[string, Partial<Relatives>, ReturnType<typeof cascadeOf>]>([
    ['a parent whose children are all done is done', {}, 'finish'],
    ['a parent with its own validation waits for that to run', { validation: 'make' }, null],
    ['a parent waits for its dependencies', { blockers: 1 }, null],
    ['a parent waits for its children', { openChildren: 1 }, null],
    ['a leaf does nothing by itself', { children: 0 }, null],
    ['a draft stays a draft', { status: 'draft' }, null],
    [
      'a done parent with an open child is open again',
      { status: 'done', openChildren: 1 },
      'reopen',
    ],
    ['a failed descendant blocks', { openChildren: 1, failedBelow: 1 }, 'block'],
    ['a paused parent stays paused', { status: 'paused', failedBelow: 1 }, null],
    [
      'a block that has lost its cause is renamed',
      { status: 'blocked', failedBelow: 1, blockedBy: '' },
      'block',
    ],
    ['a block with its cause stays', { status: 'blocked', failedBelow: 1, blockedBy: 't-2' }, null],
    ['a block without failures ends', { status: 'blocked', blockedBy: 't-2' }, 'unblock'],
    ['a block of its own is not ended by children', { status: 'blocked' }, null],
  ])('%s', (_name, change, expected) => {
    expect(cascadeOf({ ...parent, ...change })).toBe(expected);
  });
});
