import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { GitRepo } from '../../support/git-repo.ts';
import { loopHarness, signal, type LoopHarness } from './loop-harness.ts';

/** The user has an entry in their stash; answers ref and reflog, byte for byte. */
async function stashOf(repo: GitRepo): Promise<readonly string[]> {
  const files = ['refs/stash', 'logs/refs/stash'];
  return Promise.all(files.map((file) => readFile(path.join(repo.path, '.git', file), 'utf8')));
}

/** An agent with uncommitted work, and a base that has moved against its last commit. */
async function moved(): Promise<LoopHarness> {
  const loop = await loopHarness(async (repo) => {
    await repo.write('a.txt', 'one\n');
    await repo.write('b.txt', 'one\n');
    await repo.commitAll('files');
    await repo.write('README.md', 'of the user\n');
    await repo.git('stash', 'push', '--quiet');
  });
  await loop.iterate(() => loop.write('a.txt', 'loop\n'));
  await loop.repo.write('a.txt', 'main\n');
  await loop.repo.write('b.txt', 'main\n');
  await loop.repo.commitAll('main moved');
  await loop.write('b.txt', 'uncommitted\n');
  return loop;
}

const operations = [
  ['rebase', ['rebase', '--autostash', 'main']],
  ['rebase', ['rebase', '--apply', '--autostash', 'main']],
  ['merge', ['merge', '--autostash', 'main']],
] as const;

describe('uncommitted work that git has set aside for an operation', () => {
  test.each(operations)('comes back when a half %s is aborted: %j', async (operation, args) => {
    await using loop = await moved();
    const before = await stashOf(loop.repo);
    await expect(loop.agent(...args)).rejects.toThrow('Command failed');
    expect(await loop.read('b.txt')).not.toBe('uncommitted\n');
    const again = await loop.project.openWorkspace(loop.spec, signal);
    expect(again.repaired).toEqual([
      `half ${operation} aborted`,
      'uncommitted work that git had set aside is back',
    ]);
    expect(await loop.read('b.txt')).toBe('uncommitted\n');
    expect(await loop.read('a.txt')).toBe('loop\n');
    expect(await loop.agent('status', '--porcelain')).toBe('M b.txt');
    expect(await stashOf(loop.repo)).toEqual(before);
  });

  test('is kept in a ref of the loop where it does not fit any more', async () => {
    await using loop = await moved();
    const before = await stashOf(loop.repo);
    await expect(loop.agent('rebase', '--autostash', 'main')).rejects.toThrow('Command failed');
    const gitDir = path.join(loop.repo.path, '.git/worktrees/loop-1');
    const id = (await readFile(path.join(gitDir, 'rebase-merge/autostash'), 'utf8')).trim();
    // The branch to go back to has the same line changed.
    await loop.agent('checkout', '--quiet', '--force', 'loopwright/loop-1');
    await loop.write('b.txt', 'committed\n');
    await loop.agent('commit', '--quiet', '--all', '-m', 'another');
    const head = await loop.agent('rev-parse', 'HEAD');
    await writeFile(path.join(gitDir, 'rebase-merge/orig-head'), `${head}\n`);
    const again = await loop.project.openWorkspace(loop.spec, signal);
    const ref = `refs/loopwright-kept/loop-1.stash-${id.slice(0, 12)}`;
    expect(again.repaired).toContain(
      `uncommitted work that git had set aside does not fit any more, it is kept in ${ref}`,
    );
    expect(await loop.read('b.txt')).toBe('committed\n');
    expect(await loop.repo.git('show', `${ref}:b.txt`)).toBe('uncommitted');
    expect(await stashOf(loop.repo)).toEqual(before);
    await loop.project.removeWorkspace(loop.spec, signal);
    await loop.project.deleteBranch(loop.spec.branch, signal);
    expect(await loop.repo.git('for-each-ref', 'refs/loopwright-kept')).toBe('');
  });

  test('that is still in the files, as the kill came before git could take it away, stays', async () => {
    await using loop = await moved();
    const before = await stashOf(loop.repo);
    const id = await loop.agent('stash', 'create');
    const state = path.join(loop.repo.path, '.git/worktrees/loop-1/rebase-merge');
    await mkdir(state);
    await writeFile(path.join(state, 'autostash'), `${id}\n`);
    await loop.project.openWorkspace(loop.spec, signal);
    expect(existsSync(state)).toBe(false);
    expect(await loop.read('b.txt')).toBe('uncommitted\n');
    expect(await stashOf(loop.repo)).toEqual(before);
  });

  test('is brought back by the next owner when the first was killed in between', async () => {
    await using loop = await moved();
    await expect(loop.agent('rebase', '--autostash', 'main')).rejects.toThrow('Command failed');
    const gitDir = path.join(loop.repo.path, '.git/worktrees/loop-1');
    const id = await readFile(path.join(gitDir, 'rebase-merge/autostash'), 'utf8');
    await writeFile(path.join(gitDir, 'loopwright/loop-1/autostash'), id);
    await rm(path.join(gitDir, 'rebase-merge/autostash'));
    await loop.agent('rebase', '--abort');
    const again = await loop.project.openWorkspace(loop.spec, signal);
    expect(again.repaired).toEqual(['uncommitted work that git had set aside is back']);
    expect(await loop.read('b.txt')).toBe('uncommitted\n');
    expect(existsSync(path.join(gitDir, 'loopwright/loop-1/autostash'))).toBe(false);
  });

  test('is kept in a ref when an agent ends in the middle and its files are committed as they are', async () => {
    await using loop = await moved();
    const before = await stashOf(loop.repo);
    const { repaired } = await loop.iterate(async () => {
      await expect(loop.agent('rebase', '--autostash', 'main')).rejects.toThrow('Command failed');
    });
    const refs = await loop.repo.git('for-each-ref', '--format=%(refname)', 'refs/loopwright-kept');
    const ref = refs.split('\n').find((name) => name.includes('.stash-')) ?? '';
    expect(repaired.join('\n')).toContain(ref);
    expect(await loop.repo.git('show', `${ref}:b.txt`)).toBe('uncommitted');
    expect(await stashOf(loop.repo)).toEqual(before);
  });
});
