import { chmod, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { digestFolder, writeFileIn } from '../../support/git-repo.ts';
import { loopHarness, signal } from './loop-harness.ts';
import type { LoopHarness } from './loop-harness.ts';

const moveMain = async (loop: LoopHarness, file: string, content: string) => {
  await loop.repo.write(file, content);
  return loop.repo.commitAll(`main: ${file}`);
};

const subjects = (loop: LoopHarness, range: string) =>
  loop.repo.git('log', '--format=%s', '--reverse', range);

describe('rebasing a loop', () => {
  test('replays its commits with author and message, and brings the files', async () => {
    await using loop = await loopHarness();
    await loop.iterate(() => loop.write('a.txt', 'a\n'));
    await loop.iterate(async () => {
      await loop.write('b.txt', 'b\n');
      await loop.agent('add', '--all');
      const author = 'Bot Ünïcode <bot@example.org>';
      const date = '2001-02-03T04:05:06+0700';
      await loop.agent(
        'commit',
        '--quiet',
        '-m',
        'subject\n\nbody\n',
        '--author',
        author,
        '--date',
        date,
      );
    });
    const onto = await moveMain(loop, 'main.txt', 'main\n');
    const result = await loop.workspace.rebase(onto, loop.spec.base, signal);
    const head = await loop.repo.git('rev-parse', 'loopwright/loop-1');
    expect(result).toEqual({ kind: 'rebased', head });
    expect(await subjects(loop, `${onto}..${head}`)).toBe('Iteration 1\nsubject');
    expect(await loop.repo.git('log', '-1', '--format=%an %ae %ad|%b', '--date=iso', head)).toBe(
      'Bot Ünïcode bot@example.org 2001-02-03 04:05:06 +0700|body',
    );
    expect(await loop.read('main.txt')).toBe('main\n');
    expect(await loop.agent('status', '--porcelain', '--branch')).toBe('## loopwright/loop-1');
    const tree = await loop.repo.git('rev-parse', `${head}^{tree}`);
    expect(await loop.workspace.snapshot(signal)).toBe(tree);
  });

  test('steps that conflict one by one but not in sum become one commit', async () => {
    await using loop = await loopHarness();
    await loop.iterate(() => loop.write('both.txt', 'half\n'));
    await loop.iterate(async () => {
      await loop.write('both.txt', 'done\n');
      await loop.write('own.txt', 'own\n');
    });
    const onto = await moveMain(loop, 'both.txt', 'done\n');
    const result = await loop.workspace.rebase(onto, loop.spec.base, signal);
    const head = await loop.repo.git('rev-parse', 'loopwright/loop-1');
    expect(result).toEqual({ kind: 'rebased', head });
    expect(await subjects(loop, `${onto}..${head}`)).toBe('Iteration 2');
    expect(await loop.repo.git('diff', '--name-only', onto, head)).toBe('own.txt');
    expect(await loop.agent('status', '--porcelain')).toBe('');
  });

  test('is nothing when the branch already contains the commit', async () => {
    await using loop = await loopHarness();
    const { head } = await loop.iterate(() => loop.write('a.txt', 'a\n'));
    const result = await loop.workspace.rebase(loop.spec.base, loop.spec.base, signal);
    expect(result).toEqual({ kind: 'up-to-date', head });
  });

  test('without commits of its own the branch just moves', async () => {
    await using loop = await loopHarness();
    const onto = await moveMain(loop, 'main.txt', 'main\n');
    const result = await loop.workspace.rebase(onto, loop.spec.base, signal);
    expect(result).toEqual({ kind: 'rebased', head: onto });
    expect(await loop.read('main.txt')).toBe('main\n');
  });

  test('a conflict names its files and leaves everything exactly as it was', async () => {
    await using loop = await loopHarness();
    await loop.iterate(async () => {
      await loop.write('README.md', 'loop\n');
      await loop.write('with "quotes"\nand newline', 'loop\n');
    });
    await loop.iterate(() => loop.write('later.txt', 'later\n'));
    await loop.write('left.txt', 'left by checks\n');
    const tree = await loop.workspace.snapshot(signal);
    await loop.repo.write('with "quotes"\nand newline', 'main\n');
    const onto = await moveMain(loop, 'README.md', 'main\n');
    const skip = ['objects', 'worktrees/loop-1/logs'];
    const gitBefore = await digestFolder(path.join(loop.repo.path, '.git'), skip);
    const filesBefore = await digestFolder(loop.workspace.path);
    const result = await loop.workspace.rebase(onto, loop.spec.base, signal);
    expect(result).toEqual({
      kind: 'conflict',
      files: ['README.md', 'with "quotes"\nand newline'],
    });
    expect(await digestFolder(path.join(loop.repo.path, '.git'), skip)).toBe(gitBefore);
    expect(await digestFolder(loop.workspace.path)).toBe(filesBefore);
    expect(await loop.workspace.snapshot(signal)).toBe(tree);
  });

  test('a change that upstream has too is dropped', async () => {
    await using loop = await loopHarness();
    await loop.iterate(() => loop.write('same.txt', 'same\n'));
    await loop.iterate(() => loop.write('own.txt', 'own\n'));
    const onto = await moveMain(loop, 'same.txt', 'same\n');
    const result = await loop.workspace.rebase(onto, loop.spec.base, signal);
    expect(result.kind).toBe('rebased');
    expect(await subjects(loop, `${onto}..loopwright/loop-1`)).toBe('Iteration 2');
  });

  test('a merge by the agent keeps its resolution', async () => {
    await using loop = await loopHarness();
    await loop.iterate(() => loop.write('README.md', 'loop\n'));
    await moveMain(loop, 'README.md', 'main\n');
    await loop.iterate(async () => {
      await loop.agent('merge', 'main').catch(() => undefined);
      await loop.write('README.md', 'resolved\n');
      await loop.agent('commit', '--quiet', '-am', 'merged');
    });
    const onto = await moveMain(loop, 'other.txt', 'other\n');
    const result = await loop.workspace.rebase(onto, loop.spec.base, signal);
    // The loop's first change alone conflicts with main; all of them together do not, thanks to the merge.
    expect(result.kind).toBe('rebased');
    expect(await loop.read('README.md')).toBe('resolved\n');
    expect(await loop.read('other.txt')).toBe('other\n');
  });

  test('a merge without conflict is replayed as one change', async () => {
    await using loop = await loopHarness();
    await loop.iterate(() => loop.write('a.txt', 'a\n'));
    await moveMain(loop, 'main.txt', 'main\n');
    await loop.iterate(async () => {
      await loop.agent('merge', '--no-ff', '--no-commit', '--quiet', 'main');
      await loop.write('evil.txt', 'only in the merge\n');
      await loop.agent('add', '--all');
      await loop.agent('commit', '--quiet', '-m', 'merged');
    });
    const onto = await moveMain(loop, 'other.txt', 'other\n');
    expect((await loop.workspace.rebase(onto, loop.spec.base, signal)).kind).toBe('rebased');
    expect(await loop.read('evil.txt')).toBe('only in the merge\n');
    expect(await loop.read('other.txt')).toBe('other\n');
    expect(await subjects(loop, `${onto}..loopwright/loop-1`)).toBe('Iteration 1\nmerged');
  });

  test('what checks left stays, unless it is in the way', async () => {
    await using loop = await loopHarness();
    await loop.iterate(() => loop.write('a.txt', 'a\n'));
    await loop.write('left.txt', 'left by checks\n');
    const first = await moveMain(loop, 'main.txt', 'main\n');
    expect((await loop.workspace.rebase(first, loop.spec.base, signal)).kind).toBe('rebased');
    expect(await loop.read('left.txt')).toBe('left by checks\n');
    expect(await loop.agent('status', '--porcelain')).toBe('?? left.txt');
    const second = await moveMain(loop, 'left.txt', 'now tracked\n');
    expect((await loop.workspace.rebase(second, first, signal)).kind).toBe('rebased');
    expect(await loop.read('left.txt')).toBe('now tracked\n');
  });

  test('one that was killed after moving the files is undone when the workspace is opened', async () => {
    await using loop = await loopHarness();
    const { head } = await loop.iterate(() => loop.write('a.txt', 'a\n'));
    const note = path.join(loop.repo.path, '.git/worktrees/loop-1/loopwright/loop-1/rebasing');
    await writeFile(note, `${head} ${head}\n`);
    await loop.write('main.txt', 'half moved\n');
    await loop.workspace.snapshot(signal);
    await loop.write('README.md', 'half moved\n');
    const again = await loop.project.openWorkspace(loop.spec, signal);
    expect(again.repaired).toEqual(['half rebase undone']);
    expect(await loop.agent('status', '--porcelain')).toBe('');
    await expect(readFile(note)).rejects.toThrow('ENOENT');
  });

  test('merge drivers of the repository are not run; their files merge as text', async () => {
    await using loop = await loopHarness(async (repo) => {
      await repo.write('.gitattributes', '*.txt merge=evil\n');
      await repo.write('a.txt', '1\n2\n3\n4\n5\n6\n');
      await repo.commitAll('attributes');
      const canary = path.join(repo.outside, 'canary');
      await writeFileIn(repo.outside, 'driver.sh', `#!/bin/sh\ntouch ${canary}\n`);
      await chmod(path.join(repo.outside, 'driver.sh'), 0o755);
      await repo.git('config', 'merge.evil.driver', path.join(repo.outside, 'driver.sh'));
    });
    await loop.iterate(() => loop.write('a.txt', '1 loop\n2\n3\n4\n5\n6\n'));
    const onto = await moveMain(loop, 'a.txt', '1\n2\n3\n4\n5\n6 main\n');
    expect((await loop.workspace.rebase(onto, loop.spec.base, signal)).kind).toBe('rebased');
    expect(await loop.read('a.txt')).toBe('1 loop\n2\n3\n4\n5\n6 main\n');
    await expect(readFile(path.join(loop.repo.outside, 'canary'))).rejects.toThrow('ENOENT');
  });
});
