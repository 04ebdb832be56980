import { describe, expect, it } from 'vitest';
import {
  judgePlace,
  leavesProcesses,
  located,
  type FormerRoot,
  type PlaceRecord,
} from '../../../src/core/place/place.ts';

const record: PlaceRecord = {
  storeId: 's',
  root: '/a/p',
  inode: '7',
  machine: 'm',
  roots: ['/old', '/a/p'],
  folders: {},
  origin: null,
  since: 0,
};
const here = { root: '/a/p', inode: '7', machine: 'm' };
const moved = { ...here, root: '/b' };
const at = (root: string, holds: FormerRoot['holds']): FormerRoot => ({ root, holds });

describe('where a store is found', () => {
  it.each([
    ['where it belongs', here, [at('/old', 'twin')], { kind: 'same' }],
    ['in another folder at the same path', { ...here, inode: '8' }, [], { kind: 'replaced' }],
    [
      'elsewhere, and nothing is left',
      moved,
      [at('/a/p', 'nothing')],
      { kind: 'moved', from: '/a/p' },
    ],
    ['elsewhere, with an original', moved, [at('/a/p', 'twin')], { kind: 'copied', from: '/a/p' }],
    [
      'elsewhere, with an original at an older root',
      moved,
      [at('/old', 'twin')],
      { kind: 'copied', from: '/old' },
    ],
    ['under another path of the same folder', moved, [at('/a/p', 'view')], { kind: 'view' }],
    [
      'copied over the root it once had',
      { ...moved, root: '/old', inode: '9' },
      [at('/a/p', 'twin')],
      { kind: 'copied', from: '/a/p' },
    ],
  ] as const)('%s', (_, found, former, verdict) => {
    expect(judgePlace(record, found, former)).toEqual(verdict);
  });

  it('leaves processes to whom they belong', () => {
    const { kind } = { kind: 'moved' } as const;
    const left = (found: typeof here) => leavesProcesses(record, found, { kind, from: '/a/p' });
    // Renamed: the folder is the same, and so are its processes.
    expect(left(moved)).toBe(false);
    // Copied, and the original is gone or was moved itself.
    expect(left({ ...moved, inode: '9' })).toBe(true);
    // Leases decide about another machine.
    expect(left({ ...moved, inode: '9', machine: 'n' })).toBe(false);
    expect(leavesProcesses(record, moved, { kind: 'copied', from: '/a/p' })).toBe(true);
    expect(leavesProcesses(record, { ...here, inode: '9' }, { kind: 'replaced' })).toBe(false);
  });
});

describe('a recorded path', () => {
  const place = { roots: ['/a', '/a/copy', '/b'], folders: { '/ext/wt': '/ext/wt/copy-1' } };
  it.each([
    ['/a/.loopwright/worktrees/loop-1', '/b/.loopwright/worktrees/loop-1'],
    ['/a/copy/.loopwright/worktrees/loop-1', '/b/.loopwright/worktrees/loop-1'],
    ['/b/.loopwright/worktrees/loop-1', '/b/.loopwright/worktrees/loop-1'],
    ['/a', '/b'],
    ['/ab/c', '/ab/c'],
    ['/ext/wt/loop-1', '/ext/wt/copy-1/loop-1'],
    ['/ext/wt/copy-1/loop-1', '/ext/wt/copy-1/loop-1'],
  ])('%s is now %s', (recorded, now) => {
    expect(located(recorded, '/b', place)).toBe(now);
    expect(located(now, '/b', place)).toBe(now);
  });
});
