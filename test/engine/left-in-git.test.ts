import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { memoryCli } from '../cli/memory-cli.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';

/** What an agent does to the repository besides its work, and how it is named. */
const misdeeds: readonly (readonly [string, string, string])[] = [
  ['cuts the history off', 'git rev-parse HEAD > "$COMMON/shallow"', '.git/shallow'],
  [
    'forges a commit',
    'git replace main "$(git commit-tree -m forged HEAD^{tree})"',
    'refs/replace/',
  ],
  [
    'forges one without git',
    'mkdir -p "$COMMON/refs/replace"; git commit-tree -m x HEAD^{tree} > "$COMMON/refs/replace/$(git rev-parse main)"',
    'refs/replace/',
  ],
  ['locks the packed refs', ': > "$COMMON/packed-refs.lock"', '.git/packed-refs.lock'],
  ['locks a branch', ': > "$COMMON/refs/heads/main.lock"', '.git/refs/heads/main.lock'],
  ['removes the index', 'rm "$COMMON/index"', 'index of your checkout'],
];

function flagsFor(repo: GitRepo, misdeed: string, sandbox: 'off' | 'worktree') {
  const agent = `command:COMMON=${repo.path}/.git; echo a > a.txt; ${misdeed}`;
  return { agent, validate: 'test -f a.txt', sandbox };
}

async function withHistory(): Promise<GitRepo> {
  const repo = await gitRepo();
  for (const name of ['two', 'three']) {
    await repo.write(`${name}.txt`, name);
    await repo.commitAll(name);
  }
  return repo;
}

describe('an agent that leaves something in the repository', () => {
  it.each(misdeeds)('%s: a warning names it', async (_, misdeed, name) => {
    await using repo = await withHistory();
    await using project = await openedProject(repo, flagsFor(repo, misdeed, 'off'));
    const loop = await project.runText('leaves');
    expect(loop.status).toBe('complete');
    expect(loop.warnings).toEqual([
      expect.stringContaining(`changed outside of the workspace: ${name}`),
    ]);
    // Only that: without an index all files would look new.
    expect(loop.warnings[0]?.split(',')).toHaveLength(1);
  });

  it.each([
    ...misdeeds,
    ['removes the reflog', 'rm -r "$COMMON/logs"', '.git/logs'],
    [
      'begins a bisection',
      'git rev-parse HEAD > "$COMMON/BISECT_START"',
      'operation in your checkout',
    ],
  ] as const)('%s: sandbox: worktree blocks, and names nothing else', async (_, misdeed, name) => {
    await using repo = await withHistory();
    await using project = await openedProject(repo, flagsFor(repo, misdeed, 'worktree'));
    const loop = await project.runText('leaves');
    expect(loop).toMatchObject({ status: 'blocked', reason: 'integrity' });
    expect(loop.text).toContain(name);
    expect(loop.text).not.toContain('your checkout: ');
  });

  it('locks the packed refs: a merge is refused before anything moves, and names the lock', async () => {
    await using repo = await gitRepo();
    const misdeed = ': > "$COMMON/packed-refs.lock"';
    await using project = await openedProject(repo, flagsFor(repo, misdeed, 'off'));
    const loop = await project.runText('locks');
    const before = await repo.git('rev-parse', 'main');
    const lock = path.join(repo.path, '.git/packed-refs.lock');
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const refused = await cli.run('merge', loop.id);
    expect(refused.exitCode).not.toBe(0);
    expect(refused.err).toContain(`${lock} exists`);
    expect(await repo.git('rev-parse', 'main')).toBe(before);
    expect(existsSync(lock)).toBe(true);
    await rm(lock);
    const merged = await memoryCli({ cwd: repo.path, env: repo.env }).run('merge', loop.id);
    expect(merged.exitCode, merged.err).toBe(0);
    expect(existsSync(path.join(repo.path, 'a.txt'))).toBe(true);
  });
});
