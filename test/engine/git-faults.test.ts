import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Loop } from '../../src/core/loop/loop.ts';
import { gitRepo } from '../support/git-repo.ts';
import type { GitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';
import type { TestProject } from '../support/opened-project.ts';

/**
 * A line of work per iteration; in the second one also what `misdeed` says. Three lines are done. The checks leave a
 * file, so that the start snapshot is no commit's tree.
 */
function flagsFor(repo: GitRepo, misdeed: string) {
  const agent = [
    `ROOT=${repo.path}; ID=$(basename "$PWD"); GITDIR="$ROOT/.git/worktrees/$ID"`,
    'echo "$LOOPWRIGHT_ITERATION" >> work.txt',
    `if test "$LOOPWRIGHT_ITERATION" = 2; then ${misdeed}\nfi; true`,
  ].join('\n');
  return {
    agent: `command:${agent}`,
    validate: 'echo >> report.log; test "$(wc -l < work.txt)" -ge 3',
  };
}

/** What the second iteration had to be put right for. */
async function repairs(project: TestProject, loop: Loop): Promise<readonly string[]> {
  const events = await project.engine.store.read((tx) => tx.loops.events(loop.id, 0, 1000));
  return events.flatMap(({ event }) =>
    event.type === 'snapshot.taken' || event.type === 'workspace.opened' ? event.repaired : [],
  );
}

const objectFile = (revision: string) =>
  `id=$(git rev-parse ${revision}); file="$ROOT/.git/objects/$(echo $id | cut -c1-2)/$(echo $id | cut -c3-)"; chmod u+w "$file"; : > "$file"`;

/** What an agent may do to its own branch and worktree, and what the engine says it did about it. */
const survived: readonly (readonly [string, string, string | null])[] = [
  ['leaves an index.lock', 'touch "$GITDIR/index.lock"', 'stale lock removed: index.lock'],
  ['leaves a HEAD.lock', 'touch "$GITDIR/HEAD.lock"', 'stale lock removed: HEAD.lock'],
  [
    'leaves a lock on its branch',
    'touch "$ROOT/.git/refs/heads/loopwright/$ID.lock"',
    'stale lock removed',
  ],
  [
    'leaves a lock on the ref that keeps its history',
    'mkdir -p "$ROOT/.git/refs/loopwright-kept"; touch "$ROOT/.git/refs/loopwright-kept/$ID.lock"',
    'stale lock removed',
  ],
  ['destroys its index', 'echo garbage > "$GITDIR/index"', null],
  ['destroys the index of the engine', 'echo garbage > "$GITDIR/loopwright/$ID/index"', null],
  ['deletes .git', 'rm .git', '.git of the worktree had been replaced'],
  ['detaches HEAD', 'git checkout -q --detach', 'HEAD was detached'],
  ['goes to another branch', 'git switch -qc other', 'HEAD was on other'],
  ['goes to an unborn branch', 'git checkout -q --orphan empty', 'HEAD was on empty'],
  ['writes garbage into HEAD', 'echo garbage > "$GITDIR/HEAD"', 'unreadable HEAD written again'],
  [
    'commits and rewrites history',
    'git add -A; git commit -qm mine; git commit -q --amend -m rewritten --date=2001-01-01T00:00:00; git reset -q --soft main',
    'had lost earlier commits',
  ],
  ['resets to the base', 'git reset -q --hard main; printf "1\\n2\\n" > work.txt', 'had lost'],
  [
    'deletes its branch',
    'git checkout -q --detach; git branch -q -D loopwright/$ID',
    'had been deleted',
  ],
  [
    'deletes every branch it can, and prunes',
    'git checkout -q --detach main; git for-each-ref --format="%(refname)" refs/heads | grep -v heads/main | xargs -n1 git update-ref -d; git reflog expire --all --expire=now; git gc -q --prune=now; printf "1\\n2\\n" > work.txt',
    'had been deleted',
  ],
  [
    'deletes all that refers to its history, and prunes',
    'git checkout -q --detach main; git for-each-ref --format="%(refname)" refs/heads/loopwright refs/loopwright-kept | xargs -n1 git update-ref -d; git reflog expire --all --expire=now; rm -rf "$GITDIR/logs" "$ROOT/.git/logs"; git gc -q --prune=now; printf "1\\n2\\n" > work.txt',
    'earlier commits are lost',
  ],
  [
    'collects garbage',
    'git reflog expire --all --expire=now; git gc -q --prune=now',
    // What the checks write is put back, so that an iteration starts from files that are in a commit.
    null,
  ],
  [
    'leaves an empty object for its commit',
    `git add -A; git commit -qm mine; ${objectFile('HEAD')}`,
    'damaged or empty object moved away',
  ],
  [
    'leaves an empty object for a file',
    `git add -A; ${objectFile(':work.txt')}`,
    'damaged or empty object moved away',
  ],
  [
    'leaves an empty object for the last commit',
    objectFile('HEAD'),
    'damaged or empty object moved away',
  ],
  ['packs refs', 'git pack-refs --all --prune', null],
  ['locks its worktree', 'git worktree lock .', null],
  ['unregisters its worktree', 'git worktree lock . ; rm -rf "$GITDIR"', 'registered again'],
  [
    'leaves a merge with conflicts',
    'git add -A; git commit -qm work; git switch -qc side main; echo side > README.md; git commit -qam side; git switch -q loopwright/$ID; echo mine > README.md; git commit -qam mine; git merge side; true',
    'unfinished merge ended',
  ],
  [
    'leaves a rebase half done',
    'git add -A; git commit -qm work; git switch -qc side main; echo side > README.md; git commit -qam side; git switch -q loopwright/$ID; echo mine > README.md; git commit -qam mine; git rebase -q side; true',
    'unfinished rebase ended',
  ],
  ['cleans', 'git stash -q -u; git stash pop -q; git clean -qfdx', null],
  ['makes a repository inside', 'git init -q inner; echo x > inner/file.txt', null],
  [
    'makes a repository with a commit inside',
    'git init -q inner; (cd inner; echo x > file.txt; git add -A; git commit -qm inner)',
    null,
  ],
  [
    'makes loops of links',
    'ln -s b a; ln -s a b; ln -s . self; ln -s / root; ln -s nowhere c',
    null,
  ],
  ['makes a pipe and a socket', 'mkfifo pipe', null],
];

describe('an agent that breaks its own branch or worktree', () => {
  it.each(survived)('%s: the loop goes on and nothing is lost', async (_, misdeed, note) => {
    await using repo = await gitRepo();
    const flags = flagsFor(repo, misdeed);
    await using project = await openedProject(repo, flags);
    let loop: Loop;
    try {
      loop = await project.runText('survive');
    } catch (error) {
      // Some faults park the loop; a person resumes it.
      const [parked] = await project.engine.store.read((tx) => tx.loops.list({}));
      expect(error).toMatchObject({ code: 'workspace.gone' });
      loop = await project.resume(parked?.id ?? '');
    }
    expect(loop.status).toBe('complete');
    expect(await repo.git('show', `${loop.workspace.branch}:work.txt`)).toBe('1\n2\n3');
    await repo.git('rev-list', '--objects', '--quiet', 'main', loop.workspace.branch ?? '');
    if (note !== null) expect((await repairs(project, loop)).join('; ')).toContain(note);
    expect(await repo.git('rev-parse', 'main')).toBe(loop.workspace.base);
    expect(await repo.git('status', '--porcelain')).toBe('');
  });

  it.each([
    ['removes its worktree', 'rm -rf "$PWD"'],
    [
      'has git remove its worktree',
      'cd "$ROOT"; git worktree remove --force ".loopwright/worktrees/$ID"',
    ],
  ])('%s: the loop is parked with the reason and goes on from its branch', async (_, misdeed) => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, flagsFor(repo, misdeed));
    await expect(project.runText('gone')).rejects.toMatchObject({ code: 'workspace.gone' });
    const [parked] = await project.engine.store.read((tx) => tx.loops.list({}));
    expect(parked).toMatchObject({ status: 'paused', reason: 'interrupted' });
    const loop = await project.resume(parked?.id ?? '');
    // The second line went with the worktree, the first was committed.
    expect(loop.status).toBe('complete');
    expect(await repo.git('show', `${loop.workspace.branch}:work.txt`)).toBe('1\n3\n4');
  });

  it('leaves a lock in the checkout itself, in place: parked until the user removes it', async () => {
    await using repo = await gitRepo();
    const agent = 'echo x >> work.txt; test -e once || { touch once; touch .git/index.lock; }';
    const flags = { agent: `command:${agent}`, validate: 'test "$(wc -l < work.txt)" -ge 2' };
    await using project = await openedProject(repo, flags);
    const locked = { code: 'git.locked', message: expect.stringContaining('index.lock') };
    await expect(project.runText('here', { inPlace: true })).rejects.toMatchObject(locked);
    const [parked] = await project.engine.store.read((tx) => tx.loops.list({}));
    expect(parked).toMatchObject({ status: 'paused', reason: 'interrupted' });
    const lock = path.join(repo.path, '.git/index.lock');
    expect(existsSync(lock)).toBe(true);
    await rm(lock);
    expect((await project.resume(parked?.id ?? '')).status).toBe('complete');
    expect(await repo.git('status', '--porcelain')).toBe('');
    expect(await repo.git('show', 'HEAD:work.txt')).toBe('x\nx');
  });

  it('moves its worktree away: refused with the place of the branch', async () => {
    await using repo = await gitRepo();
    const away = path.join(repo.outside, 'away');
    const misdeed = `git worktree move "$PWD" ${away}`;
    await using project = await openedProject(repo, flagsFor(repo, misdeed));
    await expect(project.runText('moved')).rejects.toMatchObject({ code: 'workspace.gone' });
    const [parked] = await project.engine.store.read((tx) => tx.loops.list({}));
    const refused = { code: 'git.branch_in_use', message: expect.stringContaining(away) };
    await expect(project.resume(parked?.id ?? '')).rejects.toMatchObject(refused);
    expect(existsSync(path.join(away, 'work.txt'))).toBe(true);
  });
});
