import { readFile, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { digestFolder } from '../../support/git-repo.ts';
import { loopHarness, signal } from './loop-harness.ts';
import type { LoopHarness } from './loop-harness.ts';

/** A loop one commit ahead of main. */
async function finishedLoop(): Promise<LoopHarness & { readonly head: string }> {
  const loop = await loopHarness();
  const { head } = await loop.iterate(async () => {
    await loop.write('README.md', 'by the loop\n');
    await loop.write('new/file.txt', 'new\n');
  });
  return { ...loop, head: head ?? '' };
}

describe('fast-forwarding a branch', () => {
  test('that is checked out nowhere moves the ref alone', async () => {
    await using loop = await finishedLoop();
    await loop.repo.git('checkout', '--quiet', '-b', 'elsewhere');
    const result = await loop.project.fastForward('main', loop.spec.base, loop.head, signal);
    expect(result).toEqual({ kind: 'moved', checkedOut: false });
    expect(await loop.repo.git('rev-parse', 'main')).toBe(loop.head);
    expect(await readFile(path.join(loop.repo.path, 'README.md'), 'utf8')).toBe('hello\n');
  });

  test('that is checked out and clean brings the files, next to untracked ones', async () => {
    await using loop = await finishedLoop();
    await loop.repo.write('untracked.txt', 'mine\n');
    await utimes(path.join(loop.repo.path, 'README.md'), 1, 1);
    const result = await loop.project.fastForward('main', loop.spec.base, loop.head, signal);
    expect(result).toEqual({ kind: 'moved', checkedOut: true });
    expect(await loop.repo.git('rev-parse', 'HEAD')).toBe(loop.head);
    expect(await readFile(path.join(loop.repo.path, 'new/file.txt'), 'utf8')).toBe('new\n');
    expect(await loop.repo.git('status', '--porcelain')).toBe('?? untracked.txt');
  });

  test.each([
    ['an edited file', (loop: LoopHarness) => loop.repo.write('README.md', 'mine\n')],
    [
      'an edited file the merge does not touch',
      (loop: LoopHarness) => loop.repo.write('src/app.js', 'mine\n'),
    ],
    [
      'a staged file',
      async (loop: LoopHarness) => {
        await loop.repo.write('staged.txt', 'mine\n');
        await loop.repo.git('add', 'staged.txt');
      },
    ],
    [
      'an untracked file in the way',
      (loop: LoopHarness) => loop.repo.write('new/file.txt', 'mine\n'),
    ],
    [
      'an ignored file in the way',
      async (loop: LoopHarness) => {
        await loop.repo.write('.git/info/exclude', 'new/\n');
        await loop.repo.write('new/file.txt', 'mine\n');
      },
    ],
    [
      'a running merge',
      (loop: LoopHarness) =>
        writeFile(path.join(loop.repo.path, '.git/MERGE_HEAD'), `${loop.spec.base}\n`),
    ],
  ])('is refused with %s, and nothing changes', async (_what, spoil) => {
    await using loop = await finishedLoop();
    await spoil(loop);
    const before = await digestFolder(loop.repo.path, ['.git/index']);
    const result = await loop.project.fastForward('main', loop.spec.base, loop.head, signal);
    expect(result).toEqual({ kind: 'dirty', path: loop.repo.path });
    expect(await digestFolder(loop.repo.path, ['.git/index'])).toBe(before);
    expect(await loop.repo.git('rev-parse', 'main')).toBe(loop.spec.base);
  });

  test('that another worktree shows moves that worktree’s files', async () => {
    await using loop = await finishedLoop();
    await loop.repo.git('checkout', '--quiet', '--detach');
    const other = path.join(loop.repo.outside, 'other');
    await loop.repo.git('worktree', 'add', '--quiet', other, 'main');
    const result = await loop.project.fastForward('main', loop.spec.base, loop.head, signal);
    expect(result).toEqual({ kind: 'moved', checkedOut: true });
    expect(await readFile(path.join(other, 'README.md'), 'utf8')).toBe('by the loop\n');
    expect(await loop.repo.gitIn(other, 'status', '--porcelain')).toBe('');
    expect(await readFile(path.join(loop.repo.path, 'README.md'), 'utf8')).toBe('hello\n');
  });

  test('that the user is rebasing is refused', async () => {
    await using loop = await finishedLoop();
    await loop.repo.git('checkout', '--quiet', '-b', 'side');
    await loop.repo.write('README.md', 'side\n');
    await loop.repo.commitAll('side');
    await loop.repo.git('checkout', '--quiet', 'main');
    await loop.repo.write('README.md', 'main\n');
    const from = await loop.repo.commitAll('main');
    await loop.repo.git('rebase', 'side').catch(() => undefined);
    expect(await loop.repo.git('rev-parse', 'main')).toBe(from);
    await loop.repo.git('update-ref', 'refs/heads/main', loop.spec.base);
    const result = await loop.project.fastForward('main', loop.spec.base, loop.head, signal);
    expect(result).toEqual({ kind: 'dirty', path: loop.repo.path });
  });

  test('that has moved meanwhile is left where it is', async () => {
    await using loop = await finishedLoop();
    await loop.repo.write('other.txt', 'x\n');
    const now = await loop.repo.commitAll('someone else');
    const result = await loop.project.fastForward('main', loop.spec.base, loop.head, signal);
    expect(result).toEqual({ kind: 'moved-meanwhile', now });
    const gone = await loop.project.fastForward('no-such', loop.spec.base, loop.head, signal);
    expect(gone).toEqual({ kind: 'moved-meanwhile', now: null });
  });

  test('to a commit that does not contain it is an error', async () => {
    await using loop = await finishedLoop();
    await loop.repo.write('other.txt', 'x\n');
    const from = await loop.repo.commitAll('someone else');
    const moving = loop.project.fastForward('main', from, loop.head, signal);
    await expect(moving).rejects.toMatchObject({ code: 'git.not_fast_forward' });
  });

  test('that was cut between files and ref is finished by the next try', async () => {
    await using loop = await finishedLoop();
    await loop.repo.git('read-tree', '-m', '-u', loop.spec.base, loop.head);
    const result = await loop.project.fastForward('main', loop.spec.base, loop.head, signal);
    expect(result).toEqual({ kind: 'moved', checkedOut: true });
    expect(await loop.repo.git('status', '--porcelain')).toBe('');
  });
});
