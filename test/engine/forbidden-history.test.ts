import { describe, expect, it } from 'vitest';
import type { Loop } from '../../src/core/loop/loop.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';

/** The agent does `first` in its first iteration and `then` in the next; the check passes always, so that only L0 can fail. */
async function runTwice(repo: GitRepo, first: string, then: string, flags = {}): Promise<Loop> {
  const agent = `command:echo x >> work.txt; if test $LOOPWRIGHT_ITERATION = 1; then ${first}; else ${then}; fi; true`;
  const all = { agent, validate: 'test -e work.txt', 'max-iterations': 2, ...flags };
  await using project = await openedProject(repo, all);
  return await project.runText('leak');
}

/** Every path that any commit of a branch has ever held. */
async function everCommitted(repo: GitRepo, ref: string): Promise<readonly string[]> {
  const output = await repo.git('log', '-m', '--format=', '--name-only', ref);
  return [...new Set(output.split('\n').filter(Boolean))];
}

const secret = 'echo TOKEN=1 > .env';
const rename = 'echo key > key.txt; git add -A; git commit -qm x; git mv key.txt server.key';

describe('a forbidden file', () => {
  it.each([
    ['removed later', secret, 'rm .env'],
    ['committed by the agent itself', `${secret}; git add -A; git commit -qm mine`, 'rm .env'],
    [
      'committed and removed within one iteration',
      `${secret}; git add -A; git commit -qm mine; git rm -q .env; git commit -qm gone`,
      'true',
    ],
    ['on a side branch that was merged', sideBranch(), 'rm -f .env'],
    ['that was another one before', rename, 'rm server.key'],
  ])('is in no commit of what is merged: %s', async (_, first, then) => {
    await using repo = await gitRepo();
    const loop = await runTwice(repo, first, then, { merge: 'local' });
    expect(loop).toMatchObject({ status: 'complete', mergedInto: 'main' });
    const paths = await everCommitted(repo, 'main');
    expect(paths).toContain('work.txt');
    expect(paths.filter((name) => name.endsWith('.env') || name.endsWith('.key'))).toEqual([]);
  });

  it('is named, fails L0 as long as it is there, and what the base has of it stays as it was', async () => {
    await using repo = await gitRepo();
    await repo.write('conf/.env', 'A=1\n');
    await repo.commitAll('a secret of the user’s');
    const loop = await runTwice(repo, `${secret}; echo B=2 >> conf/.env`, 'true');
    expect(loop).toMatchObject({ status: 'failed', reason: 'max_iterations' });
    expect(loop.feedback).toContain('forbidden');
    const [first, second] = loop.iterations;
    expect(first?.report?.levels.L0?.passed).toBe(false);
    // Untouched since then, it is still not what checks left.
    expect(second?.unstored).toEqual(first?.unstored);
    expect(first?.unstored).toEqual([
      '.env (is forbidden, see verify.contracts)',
      'conf/.env (is forbidden, see verify.contracts)',
    ]);
    const branch = loop.workspace.branch ?? '';
    expect(await repo.git('show', `${branch}:conf/.env`)).toBe('A=1');
    expect(await everCommitted(repo, branch)).not.toContain('.env');
  });

  it('that a check writes is nobody’s work', async () => {
    await using repo = await gitRepo();
    const validate = 'echo key > test.key; test "$(wc -l < work.txt)" = 2';
    const loop = await runTwice(repo, 'true', 'true', { validate });
    expect(loop.status).toBe('complete');
    expect(loop.iterations.flatMap(({ unstored }) => unstored ?? [])).toEqual([]);
    expect(await everCommitted(repo, loop.workspace.branch ?? '')).not.toContain('test.key');
  });

  it('that is allowed is committed like any other', async () => {
    await using repo = await gitRepo();
    await repo.write('loopwright.yml', 'verify: { allow: [.env] }\n');
    await repo.commitAll('allow');
    const loop = await runTwice(repo, secret, 'true');
    expect(loop.status).toBe('complete');
    expect(await repo.git('show', `${loop.workspace.branch}:.env`)).toBe('TOKEN=1');
  });

  it('stays out of the user’s branch in place', async () => {
    await using repo = await gitRepo();
    const agent = `command:echo x > work.txt; ${secret}`;
    await using project = await openedProject(repo, {
      agent,
      validate: 'true',
      'max-iterations': 1,
    });
    const loop = await project.runText('in place', { inPlace: true });
    expect(loop.status).toBe('failed');
    const paths = await everCommitted(repo, 'main');
    expect(paths).toContain('work.txt');
    expect(paths).not.toContain('.env');
  });
});

function sideBranch(): string {
  const side = 'git switch -qc side; echo T=1 > .env; git add -A; git commit -qm side';
  return `git add -A; git commit -qm work; ${side}; git rm -q .env; git commit -qm gone; git switch -q -; git merge -q --no-ff -m merged side; git branch -D side`;
}
