import { describe, expect, test } from 'vitest';
import { loopHarness, signal, type LoopHarness } from './loop-harness.ts';

const branch = 'loopwright/loop-1';

/** What a person's `git gc` does in the worst case. */
async function collectGarbage({ repo }: LoopHarness): Promise<void> {
  await repo.git('reflog', 'expire', '--expire=now', '--expire-unreachable=now', '--all');
  await repo.git('gc', '--quiet', '--prune=now');
}

async function isReadable({ repo }: LoopHarness, commit: string): Promise<boolean> {
  return repo.git('cat-file', '-e', commit).then(
    () => true,
    () => false,
  );
}

async function rebased(loop: LoopHarness): Promise<{ before: string; after: string }> {
  await loop.iterate(() => loop.write('a.txt', 'a\n'));
  const before = await loop.repo.git('rev-parse', branch);
  await loop.repo.write('main.txt', 'main\n');
  const onto = await loop.repo.commitAll('main');
  await loop.workspace.rebase(onto, loop.spec.base, signal);
  return { before, after: await loop.repo.git('rev-parse', branch) };
}

describe('the commits of a loop', () => {
  test('from before a rebase are there after a garbage collection', async () => {
    await using loop = await loopHarness();
    const { before, after } = await rebased(loop);
    expect(after).not.toBe(before);
    await collectGarbage(loop);
    expect(await isReadable(loop, before)).toBe(true);
  });

  test('are there when its branch is retired, and gone with what is kept of it', async () => {
    await using loop = await loopHarness();
    const { before, after } = await rebased(loop);
    await loop.project.removeWorkspace(loop.spec, signal);
    await loop.project.retireBranch(branch, signal);
    await loop.project.retireBranch(branch, signal);
    await collectGarbage(loop);
    expect(await loop.repo.git('branch', '--list', branch)).toBe('');
    expect([await isReadable(loop, before), await isReadable(loop, after)]).toEqual([true, true]);
    await loop.project.deleteBranch(branch, signal);
    await collectGarbage(loop);
    expect(await loop.repo.git('for-each-ref', 'refs/loopwright-*')).toBe('');
    expect([await isReadable(loop, before), await isReadable(loop, after)]).toEqual([false, false]);
  });
});
