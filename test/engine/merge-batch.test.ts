import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Loop } from '../../src/core/loop/loop.ts';
import { MergeQueue } from '../../src/engine/merge-queue.ts';
import { startSession } from '../../src/engine/session.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { openedProject, type TestProject } from '../support/opened-project.ts';

const flags = { agent: 'command:echo done > "$LOOPWRIGHT_LOOP.txt"', validate: 'ls loop-*.txt' };
/** Checked in worktrees of the loops, not in clean checkouts. */
const unconfirmed = { ...flags, confirm: 'off' };

type Queued = { readonly loops: readonly Loop[]; readonly queue: MergeQueue };

/** Complete loops with a commit each, and a queue that gets them all at once. */
async function complete(project: TestProject, count: number): Promise<Queued> {
  const loops: Loop[] = [];
  for (let each = 0; each < count; each++) loops.push(await project.runText(`work ${each}`));
  const session = await startSession(project.engine, 'command');
  return { loops, queue: new MergeQueue(project.engine, session) };
}

/** All of them in one batch: the first is alone until the others have come. */
async function mergeAll({ loops, queue }: Queued) {
  return Promise.allSettled(loops.map(({ id }) => queue.merge(id)));
}

/** Each branch holds its own commit and no other. */
async function expectOwnWork(repo: GitRepo, loops: readonly Loop[]): Promise<void> {
  for (const { id, head } of loops) {
    expect(await repo.git('rev-parse', `loopwright/${id}`)).toBe(head);
    const files = await repo.git('ls-tree', '--name-only', `loopwright/${id}`);
    expect(files.split('\n').filter((name) => name.startsWith('loop-'))).toEqual([`${id}.txt`]);
  }
}

describe('a batch of merges', { timeout: 120_000 }, () => {
  it('that a lock of the user’s refuses leaves every branch with its own commits', async () => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, flags);
    const queued = await complete(project, 3);
    await repo.write('.git/index.lock', '');
    const results = await mergeAll(queued);
    for (const result of results) {
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'git.locked' } });
    }
    await expectOwnWork(repo, queued.loops);
    await rm(path.join(repo.path, '.git/index.lock'));
    const [, second] = queued.loops;
    await queued.queue.merge(second?.id ?? '');
    const files = await repo.git('ls-tree', '--name-only', 'main');
    expect(files.split('\n').filter((name) => name.startsWith('loop-'))).toEqual([
      `${second?.id}.txt`,
    ]);
    expect(await repo.git('status', '--porcelain')).toBe('');
  });

  it('whose checks fail together leaves every branch as it was', async () => {
    await using repo = await gitRepo();
    const validate = 'test "$(ls loop-*.txt | wc -l)" -le 1';
    await using project = await openedProject(repo, { ...flags, validate });
    const queued = await complete(project, 2);
    const results = await mergeAll(queued);
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const refused = queued.loops.filter((_, index) => results[index]?.status === 'rejected');
    await expectOwnWork(repo, refused);
  });

  it('is not held up by one whose worktree cannot be made', async () => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, unconfirmed);
    const queued = await complete(project, 3);
    const last = queued.loops.at(-1)?.id ?? '';
    const folder = path.join(repo.path, '.loopwright/worktrees', last);
    await repo.write(`.loopwright/worktrees/${last}/mine.txt`, 'somebody’s\n');
    const [first, second, third] = await mergeAll(queued);
    expect([first?.status, second?.status]).toEqual(['fulfilled', 'fulfilled']);
    expect(third).toMatchObject({ status: 'rejected', reason: { code: 'workspace.path_taken' } });
    expect(existsSync(path.join(folder, 'mine.txt'))).toBe(true);
    const [own] = queued.loops.slice(-1);
    await expectOwnWork(repo, own === undefined ? [] : [own]);
    expect(await repo.git('status', '--porcelain')).toBe('');
  });

  it('is not held up by one whose setup fails', async () => {
    await using repo = await gitRepo();
    const trigger = path.join(repo.outside, 'broken');
    await repo.write('loopwright.yml', `workspace: { setup: 'test ! -e ${trigger}' }\n`);
    await repo.commitAll('setup');
    await using project = await openedProject(repo, unconfirmed);
    const queued = await complete(project, 2);
    await writeFile(trigger, '');
    const results = await mergeAll(queued);
    expect(results.at(-1)).toMatchObject({ reason: { code: 'merge.setup' } });
    expect(results[0]?.status).toBe('fulfilled');
  });

  it('takes only the recorded work of a branch that an older version left on top of others', async () => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, flags);
    const queued = await complete(project, 2);
    const [first, second] = queued.loops;
    const stacked = await project.project.replay(
      second?.head ?? '',
      second?.workspace.base ?? '',
      first?.head ?? '',
      new AbortController().signal,
    );
    const top = stacked.kind === 'rebased' ? stacked.head : '';
    await repo.git('update-ref', `refs/heads/loopwright/${second?.id}`, top);
    await queued.queue.merge(second?.id ?? '');
    expect(existsSync(path.join(repo.path, `${second?.id}.txt`))).toBe(true);
    expect(existsSync(path.join(repo.path, `${first?.id}.txt`))).toBe(false);
  });

  it('refuses a branch that a person has put another loop’s work on, until that is merged', async () => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, flags);
    const queued = await complete(project, 2);
    const [first, second] = queued.loops;
    const folder = path.join(repo.outside, 'by-hand');
    await repo.git('worktree', 'add', '-q', folder, `loopwright/${second?.id}`);
    await repo.gitIn(folder, 'merge', '-q', '-m', 'both', `loopwright/${first?.id}`);
    await repo.git('worktree', 'remove', folder);
    await expect(queued.queue.merge(second?.id ?? '')).rejects.toMatchObject({
      code: 'merge.others',
      message: expect.stringContaining(first?.id ?? ''),
    });
    await queued.queue.merge(first?.id ?? '');
    await queued.queue.merge(second?.id ?? '');
    expect(await repo.git('status', '--porcelain')).toBe('');
  });
});
