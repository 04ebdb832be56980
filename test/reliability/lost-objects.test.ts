import { appendFile, chmod, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { restartMachine } from '../support/restart-machine.ts';
import { scenario, type Scenario } from './scenario.ts';

const text = 'count to three';

type Damage = (project: Scenario, loop: Left) => Promise<void>;

/** The loop as the engine left it that was killed in its third iteration. */
type Left = {
  readonly id: string;
  readonly branch: string;
  readonly kept: string;
  readonly head: string;
  readonly commits: readonly string[];
  readonly startTree: string;
  readonly worktree: string;
};

/** What a power cut can leave where nothing, or not all, was synced; and what is said of it. */
const damages: readonly (readonly [string, Damage, RegExp])[] = [
  ['the commit of the branch is empty', (project, { head }) => emptied(project, head), lost()],
  [
    'a file of the last commit is empty',
    async (project, { head }) => emptied(project, await idOf(project, `${head}:note-2.txt`)),
    lost(),
  ],
  ['the branch is empty', (project, { branch }) => write(project, `.git/${branch}`, ''), lost()],
  [
    'the branch and the ref that keeps it are zeros',
    async (project, { branch, kept }) => {
      for (const ref of [branch, kept]) await write(project, `.git/${ref}`, '\0'.repeat(41));
    },
    lost(),
  ],
  [
    'every commit of the loop is empty',
    async (project, { commits }) => {
      for (const commit of commits) await emptied(project, commit);
    },
    /put to the base/,
  ],
  [
    'the snapshot that the iteration started from is empty',
    (project, { startTree }) => emptied(project, startTree),
    /./,
  ],
  [
    'a file of the worktree is empty',
    (_, { worktree }) => truncate(path.join(worktree, 'n.txt'), 0),
    /n\.txt had lost its content/,
  ],
  [
    'a file of the worktree ends in zeros',
    (_, { worktree }) => appendFile(path.join(worktree, 'n.txt'), '\0\0'),
    /n\.txt had lost its content/,
  ],
];

function lost(): RegExp {
  return /named a commit that the disk has lost/;
}

describe('after a power cut', () => {
  it.concurrent.each(damages)(
    'a loop goes on from the newest that can be read, says so, and loses no file: %s',
    async (_, damage, said) => {
      await using project = await scenario();
      const left = await killedInThirdIteration(project);
      await damage(project, left);
      restartMachine(project.repo);
      const again = await project.run(['run']);
      expect(again.exitCode, again.out + again.err).toBe(0);
      const told = (await project.loops())[0]?.events.flatMap(({ event }) => {
        if (event.type === 'warning.raised') return [event.text];
        return event.type === 'workspace.opened' || event.type === 'snapshot.taken'
          ? event.repaired
          : [];
      });
      expect(told?.join('\n')).toMatch(said);
      expect(await project.violations()).toEqual([]);
    },
    600_000,
  );

  it('a rebase that was cut is undone where the index is empty as well', async () => {
    await using project = await scenario();
    await project.run(['run', text], { LOOPWRIGHT_FAIL_AT: 'before:rebase:1:kill' });
    const [cut] = await project.loops();
    const id = cut?.loop.id ?? '';
    const folder = `.git/worktrees/${id}/loopwright/${id}`;
    const [head, next] = await Promise.all([
      idOf(project, `loopwright/${id}`),
      idOf(project, 'next'),
    ]);
    await write(project, `${folder}/rebasing`, `${head} ${next}\n`);
    await write(project, `${folder}/index`, '');
    await writeFile(path.join(cut?.loop.workspace.path ?? '', 'moved.txt'), 'the base moved\n');
    const again = await project.run(['run']);
    expect(again.exitCode, again.out + again.err).toBe(0);
    expect(await project.violations()).toEqual([]);
  }, 600_000);

  it('a lock that the move of the base was cut short with is removed, and the loop merged', async () => {
    await using project = await scenario();
    await project.run(['run', text], { LOOPWRIGHT_FAIL_AT: 'before:move-ref:1:kill' });
    const [complete] = await project.loops();
    const to = complete?.loop.merging?.to ?? '';
    await write(project, '.git/refs/heads/trunk.lock', `${to}\n`);
    const again = await project.run(['run']);
    expect(again.exitCode, again.out + again.err).toBe(0);
    expect(await project.violations()).toEqual([]);
  }, 600_000);

  it('a complete loop whose work is lost is not merged and not done; resumed, it is worked out again', async () => {
    await using project = await scenario();
    await project.run(['run', text], { LOOPWRIGHT_FAIL_AT: 'before:fast-forward:1:kill' });
    const before = await project.repo.git('rev-parse', 'trunk');
    const [complete] = await project.loops();
    await emptied(project, complete?.loop.head ?? '');
    const refused = await project.run(['run']);
    expect(refused.exitCode, refused.out + refused.err).toBe(2);
    expect(refused.out + refused.err).toContain('cannot be read');
    expect(await project.repo.git('rev-parse', 'trunk')).toBe(before);

    const resumed = await project.run(['loop', 'resume', 'last']);
    expect(resumed.exitCode, resumed.out + resumed.err).toBe(0);
    expect(await project.violations()).toEqual([]);
  }, 600_000);
});

async function killedInThirdIteration(project: Scenario): Promise<Left> {
  const killed = await project.run(['run', text], { LOOPWRIGHT_FAIL_AT: 'after:run-agent:3:kill' });
  expect(killed.signal).toBe('SIGKILL');
  const [{ loop } = { loop: undefined }] = await project.loops();
  if (loop === undefined) throw new Error('there is no loop');
  return {
    id: loop.id,
    branch: `refs/heads/loopwright/${loop.id}`,
    kept: `refs/loopwright-kept/${loop.id}`,
    head: loop.head ?? '',
    commits: (await project.repo.git('rev-list', `loopwright/${loop.id}`, '--not', 'next')).split(
      '\n',
    ),
    startTree: loop.iterations.at(-1)?.startTree ?? '',
    worktree: loop.workspace.path,
  };
}

function idOf(project: Scenario, revision: string): Promise<string> {
  return project.repo.git('rev-parse', revision);
}

async function emptied({ repo }: Scenario, id: string): Promise<void> {
  const file = path.join(repo.path, '.git/objects', id.slice(0, 2), id.slice(2));
  await chmod(file, 0o644);
  await truncate(file, 0);
}

function write({ repo }: Scenario, file: string, content: string): Promise<void> {
  return writeFile(path.join(repo.path, file), content);
}
