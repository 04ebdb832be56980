import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { realCli } from '../cli/real-cli.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { eventually } from '../support/invariants.ts';
import { openedProject } from '../support/opened-project.ts';

/** Two iterations; the first does `misdeed` in the worktree, with `$ROOT` the user's checkout. */
function agentOf(repo: GitRepo, misdeed: string): string {
  const first = `if test "$LOOPWRIGHT_ITERATION" = 1; then ${misdeed}\nfi`;
  return `command:ROOT=${repo.path}; echo x > "work-$LOOPWRIGHT_ITERATION.txt"; git add -A; git commit -qm own; ${first}; true`;
}

const validate = 'test -f work-2.txt';

async function runMisdeed(
  repo: GitRepo,
  misdeed: string,
  flags: Readonly<Record<string, string>> = {},
) {
  const all = {
    agent: agentOf(repo, misdeed),
    validate,
    'watch-interval': '0',
    'max-iterations': 3,
    ...flags,
  };
  await using project = await openedProject(repo, all);
  return await project.runText('moves the base');
}

/** The agent stops in its first iteration until the person is done. */
function pause(repo: GitRepo): {
  readonly wait: string;
  readonly person: (work: () => Promise<void>) => Promise<void>;
} {
  const [started = '', go = ''] = ['started', 'go'].map((name) => path.join(repo.outside, name));
  return {
    wait: `: > '${started}'; while ! test -e '${go}'; do sleep 0.05; done`,
    person: async (work) => {
      await eventually(() => existsSync(started), 'the agent waits');
      // Records of git have seconds; what comes in the same one cannot be told apart.
      await new Promise((resolve) => setTimeout(resolve, 1100));
      await work();
      await new Promise((resolve) => setTimeout(resolve, 1100));
      await writeFile(go, '');
    },
  };
}

const inOtherTree = 'git worktree add -qf "$ROOT/../outside/other" main';

describe('a base that the git of the agent moves', () => {
  it.each([
    ['update-ref', 'git update-ref refs/heads/main HEAD'],
    ['a commit in the checkout of the user', 'git -C "$ROOT" commit -q --allow-empty -m theirs'],
    ['a reset there', 'git -C "$ROOT" reset -q --soft "$(git rev-parse HEAD)"'],
    [
      'a worktree of its making',
      `${inOtherTree}; git -C "$ROOT/../outside/other" commit -q --allow-empty -m theirs`,
    ],
    [
      'its own worktree, with the base checked out',
      'b=$(git symbolic-ref HEAD); git symbolic-ref HEAD refs/heads/main; git commit -qam x --allow-empty; git symbolic-ref HEAD $b',
    ],
  ])('is moved back: %s', async (_, misdeed) => {
    await using repo = await gitRepo();
    const before = await repo.git('rev-parse', 'main');
    const loop = await runMisdeed(repo, misdeed);
    expect(loop).toMatchObject({ status: 'complete', workspace: { base: before } });
    expect(await repo.git('rev-parse', 'main')).toBe(before);
    const move = loop.iterations[0]?.baseMove;
    expect(move).toMatchObject({ branch: 'main', from: before, back: before });
    // Nothing is lost: what it was moved to is kept with the loop.
    const kept = await repo.git('for-each-ref', '--format=%(objectname)', 'refs/loopwright-past');
    expect(kept).toContain(move?.to);
    expect(loop.iterations[0]?.decision?.feedback).toContain('moved the branch main');
    expect(loop.warnings.some((text) => text.includes('It is moved back'))).toBe(true);
  });

  it.each([
    ['branch -f', 'git branch -f trunk HEAD'],
    ['a push into the repository itself', 'git push -q . HEAD:trunk'],
    ['a fetch from it', 'git fetch -q . HEAD:trunk'],
  ])('is moved back where no checkout shows it: %s', async (_, misdeed) => {
    await using repo = await gitRepo();
    await repo.git('branch', 'trunk');
    const before = await repo.git('rev-parse', 'trunk');
    const loop = await runMisdeed(repo, misdeed, { base: 'trunk' });
    expect(loop).toMatchObject({ status: 'complete', workspace: { base: before } });
    expect(await repo.git('rev-parse', 'trunk')).toBe(before);
  });

  it('blocks the loop with sandbox: worktree, and is moved back', async () => {
    await using repo = await gitRepo();
    const before = await repo.git('rev-parse', 'main');
    const misdeed = 'git update-ref refs/heads/main HEAD';
    const loop = await runMisdeed(repo, misdeed, { sandbox: 'worktree' });
    expect(loop).toMatchObject({ status: 'blocked', reason: 'integrity' });
    expect(loop.text).toContain('main was moved back; nothing else was put back');
    expect(await repo.git('rev-parse', 'main')).toBe(before);
  });
});

const byHand = 'git rev-parse HEAD > "$ROOT/.git/refs/heads/main"';

describe('a base that was moved by nobody knows whom', () => {
  it.each([
    ['its file written by hand', byHand],
    [
      'the packed refs written by hand',
      'git pack-refs --all; sed -i "s|.* refs/heads/main|$(git rev-parse HEAD) refs/heads/main|" "$ROOT/.git/packed-refs"',
    ],
    ['a git that tells nothing', 'env -u GIT_TRACE2_EVENT git update-ref refs/heads/main HEAD'],
    ['a trace that is gone', 'git update-ref refs/heads/main HEAD; rm "$GIT_TRACE2_EVENT"'],
    ['a record that is gone', 'git update-ref refs/heads/main HEAD; rm -r "$ROOT/.git/logs"'],
    [
      'its own branch under another name',
      'git symbolic-ref refs/heads/main "$(git symbolic-ref HEAD)"',
    ],
  ])('blocks the loop with both commits named: %s', async (_, misdeed) => {
    await using repo = await gitRepo();
    const before = await repo.git('rev-parse', 'main');
    const all = {
      agent: agentOf(repo, misdeed),
      validate,
      'watch-interval': '0',
      'max-iterations': 3,
    };
    await using project = await openedProject(repo, all);
    const loop = await project.runText('moves the base');
    const after = await repo.git('rev-parse', 'main');
    expect(after).not.toBe(before);
    expect(loop).toMatchObject({ status: 'blocked', reason: 'integrity' });
    expect(loop.text).toContain(`git update-ref refs/heads/main ${before} ${after}`);
    // A person takes it as it is.
    expect((await project.resume(loop.id)).workspace.base).toBe(after);
  });

  it('starts no other loop from it, until a person has decided', async () => {
    await using repo = await gitRepo();
    const before = await repo.git('rev-parse', 'main');
    const blocked = await runMisdeed(repo, byHand);
    expect(blocked.status).toBe('blocked');
    const flags = { agent: 'command:echo b > b.txt', validate: 'test -f b.txt', merge: 'local' };
    await using project = await openedProject(repo, flags);
    const refused = { code: 'git.base_moved', message: expect.stringContaining(blocked.id) };
    await expect(project.runText('other')).rejects.toMatchObject(refused);
    await repo.git('update-ref', 'refs/heads/main', before);
    expect(await project.runText('once more')).toMatchObject({ mergedInto: 'main' });
  });
});

describe('what a person commits meanwhile', () => {
  it('is taken as the new base', async () => {
    await using repo = await gitRepo();
    const { wait, person } = pause(repo);
    const running = runMisdeed(repo, wait);
    await person(async () => {
      await repo.write('mine.txt', 'mine\n');
      await repo.commitAll('mine');
    });
    const loop = await running;
    expect(loop).toMatchObject({ status: 'complete', warnings: [] });
    expect(loop.workspace.base).toBe(await repo.git('rev-parse', 'main'));
    expect(await repo.git('show', 'main:mine.txt')).toBe('mine');
  });

  it('stays when the agent moves the base after it', async () => {
    await using repo = await gitRepo();
    const { wait, person } = pause(repo);
    const running = runMisdeed(repo, `${wait}; git update-ref refs/heads/main HEAD`);
    let mine = '';
    await person(async () => {
      await repo.write('mine.txt', 'mine\n');
      mine = await repo.commitAll('mine');
    });
    const loop = await running;
    expect(loop).toMatchObject({ status: 'complete', workspace: { base: mine } });
    expect(await repo.git('rev-parse', 'main')).toBe(mine);
  });

  it('is not touched when it is on top of what the agent did', async () => {
    await using repo = await gitRepo();
    const before = await repo.git('rev-parse', 'main');
    const { wait, person } = pause(repo);
    const evil = 'git -C "$ROOT" commit -q --allow-empty -m theirs';
    const running = runMisdeed(repo, `${evil}; ${wait}`);
    let mine = '';
    await person(async () => {
      await repo.write('mine.txt', 'mine\n');
      mine = await repo.commitAll('mine');
    });
    const loop = await running;
    expect(loop).toMatchObject({ status: 'blocked', reason: 'integrity' });
    expect(loop.text).toContain(`${before} ${mine}`);
    expect(await repo.git('rev-parse', 'main')).toBe(mine);
  });
});

describe('an engine that is killed after the agent has moved the base', () => {
  it.each([
    ['moves it back when it is taken over', 'git update-ref refs/heads/main HEAD', 'complete'],
    ['blocks the loop when nobody can say who did it', byHand, 'blocked'],
  ])('%s', async (_, misdeed, status) => {
    await using repo = await gitRepo();
    const before = await repo.git('rev-parse', 'main');
    const mark = path.join(repo.outside, 'done-it');
    const agent = agentOf(repo, `${misdeed}; : > '${mark}'; sleep 600`);
    const run = realCli(repo.path, repo.env, [
      'run',
      'x',
      '--agent',
      agent,
      '--validate',
      validate,
    ]);
    await eventually(() => existsSync(mark), 'the agent has moved it');
    run.child.kill('SIGKILL');
    await run.ended;
    await using project = await openedProject(repo, {});
    const [row] = await project.engine.store.read((tx) => tx.loops.list({ limit: 1 }));
    const loop = await project.resume(row?.id ?? '');
    expect(loop.status).toBe(status);
    expect(loop.workspace.base).toBe(before);
    const isBack = (await repo.git('rev-parse', 'main')) === before;
    expect(isBack).toBe(status === 'complete');
  });
});

it('another loop does not take the base that an agent has moved and still works on', async () => {
  await using repo = await gitRepo();
  const before = await repo.git('rev-parse', 'main');
  const [moved = '', go = ''] = ['moved', 'go'].map((name) => path.join(repo.outside, name));
  const wait = `: > '${moved}'; while ! test -e '${go}'; do sleep 0.05; done`;
  const mover = agentOf(repo, `git update-ref refs/heads/main HEAD; ${wait}`);
  await using first = await openedProject(repo, { agent: mover, validate });
  const running = first.runText('moves the base');
  await eventually(() => existsSync(moved), 'the base is moved');
  const flags = { agent: 'command:echo b > b.txt', validate: 'test -f b.txt', merge: 'local' };
  await using second = await openedProject(repo, flags);
  const merged = await second.runText('is merged');
  await writeFile(go, '');
  const loop = await running;
  expect(merged.mergedInto).toBe('main');
  expect(await repo.git('rev-list', '--parents', '-1', 'main')).toContain(before);
  expect(await repo.git('ls-tree', '--name-only', 'main')).not.toContain('work-1.txt');
  expect(loop.status).toBe('complete');
});
