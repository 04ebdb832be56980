import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { countedGit } from '../support/counted-git.ts';
import { gitRepo } from '../support/git-repo.ts';
import type { GitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';
import { tempDir } from '../support/temp-dir.ts';

const work = 'echo done > work.txt';
const validate = 'test -f work.txt';

/** Runs an agent that does its work and then what `misdeed` says, in the worktree, with `$ROOT` the user's checkout. */
async function runMisdeed(repo: GitRepo, misdeed: string, sandbox: 'off' | 'worktree') {
  const agent = `command:ROOT=${repo.path}; ${work}; ${misdeed}; true`;
  await using project = await openedProject(repo, { agent, validate, sandbox });
  const loop = await project.runText('misbehave');
  const dir = await project.engine.artifacts.iterationDir(loop.id, 1);
  return { loop, file: path.join(dir, 'surroundings.json') };
}

const misdeeds: readonly (readonly [string, string, string])[] = [
  ['edits a tracked file of the checkout', 'echo x >> $ROOT/README.md', 'your checkout: README.md'],
  ['deletes a file of the checkout', 'rm $ROOT/src/app.js', 'your checkout: src/app.js'],
  ['makes a file in the checkout', 'echo x > $ROOT/new.txt', 'your checkout: new.txt'],
  ['edits a file that was dirty already', 'echo x >> $ROOT/dirty.txt', 'your checkout: dirty.txt'],
  ['stages in the checkout', 'git -C $ROOT add dirty.txt', 'index of your checkout'],
  [
    'hides an edit behind a flag of the index',
    'git -C $ROOT update-index --assume-unchanged README.md; echo x >> $ROOT/README.md',
    'index of your checkout',
  ],
  ['switches the branch of the checkout', 'git -C $ROOT switch -qc mine', 'HEAD of your checkout'],
  [
    'moves a branch',
    'git add -A; git commit -qm x; git update-ref refs/heads/main HEAD',
    'refs/heads/main',
  ],
  ['makes a tag', 'git tag stolen', 'refs/tags/stolen'],
  ['deletes every other branch', 'git branch -D side', 'refs/heads/side'],
  ['adds a remote', 'git remote add evil /nowhere', '.git/config'],
  ['plants a hook', 'echo x > $ROOT/.git/hooks/pre-commit', '.git/hooks/pre-commit'],
  ['hides files', 'echo "*.secret" >> $ROOT/.git/info/exclude', '.git/info/exclude'],
  ['plants attributes', 'echo "* filter=x" > $ROOT/.git/info/attributes', '.git/info/attributes'],
  ['changes the user’s own settings', 'git config --global core.pager evil', '.gitconfig'],
  ['leaves a half merge', 'echo x > $ROOT/.git/MERGE_HEAD', 'operation in your checkout'],
  ['destroys the index of the checkout', 'echo x > $ROOT/.git/index', 'your repository'],
];

async function processesPerIteration(sandbox: 'off' | 'worktree'): Promise<number> {
  const count = async (iterations: number) => {
    await using repo = await gitRepo();
    const counted = await countedGit(repo);
    const agent = 'command:echo x >> work.txt';
    const flags = { agent, validate: 'false', 'max-iterations': iterations, sandbox };
    await using project = await openedProject({ path: repo.path, env: counted.env }, flags);
    await project.runText('count');
    return (await counted.calls()).length;
  };
  return ((await count(4)) - (await count(2))) / 2;
}

describe('sandbox: worktree', () => {
  it.each(misdeeds)(
    'blocks a loop whose agent %s, and says what changed',
    async (_, misdeed, name) => {
      await using repo = await gitRepo();
      await repo.git('branch', 'side');
      await repo.write('dirty.txt', 'mine\n');
      const { loop, file } = await runMisdeed(repo, misdeed, 'worktree');
      expect(loop).toMatchObject({ status: 'blocked', reason: 'integrity' });
      expect(loop.text).toContain(name);
      const evidence = await readFile(file, 'utf8');
      expect(evidence).toContain(name);
      // The work itself is kept, and what was done elsewhere is left as evidence.
      expect(await repo.git('show', `${loop.workspace.branch}:work.txt`)).toBe('done');
    },
  );

  it('blocks when the checks are what changes the checkout', async () => {
    await using repo = await gitRepo();
    const flags = { agent: `command:${work}`, sandbox: 'worktree' };
    const evil = `${validate} && echo x >> ${repo.path}/README.md`;
    await using project = await openedProject(repo, { ...flags, validate: `${evil}; true` });
    const loop = await project.runText('evil tests');
    expect(loop).toMatchObject({ status: 'blocked', reason: 'integrity' });
  });

  it('lets a well-behaved loop complete beside a dirty checkout and other housekeeping', async () => {
    await using repo = await gitRepo();
    await repo.write('README.md', 'mine\n');
    await repo.write('staged.txt', 'staged\n');
    await repo.git('add', 'staged.txt');
    // Refreshed stat data, packed refs and collected garbage change no content.
    const housekeeping = 'touch $ROOT/src/app.js; git -C $ROOT status -s; git gc -q --prune=now';
    const { loop } = await runMisdeed(repo, housekeeping, 'worktree');
    expect(loop.warnings).toEqual([]);
    expect(loop.status).toBe('complete');
  });

  it('goes on after a resume, from what the user left', async () => {
    await using repo = await gitRepo();
    const once = `test "$LOOPWRIGHT_ITERATION" = 1 && git config evil.key 1`;
    const agent = `command:echo x >> work.txt; ${once}; true`;
    const flags = { agent, validate: 'test "$(wc -l < work.txt)" -ge 2', sandbox: 'worktree' };
    await using project = await openedProject(repo, flags);
    const blocked = await project.runText('twice');
    expect(blocked.reason).toBe('integrity');
    expect((await project.resume(blocked.id)).status).toBe('complete');
  });

  it('blocks an iteration that is cut short, and one whose worktree is gone', async () => {
    await using repo = await gitRepo();
    const gone = `git config evil.key 1; rm -rf "$PWD"`;
    const agent = `command:${gone}; true`;
    await using project = await openedProject(repo, { agent, validate, sandbox: 'worktree' });
    await expect(project.runText('gone')).rejects.toMatchObject({ code: 'workspace.gone' });
    const [loop] = await project.engine.store.read((tx) => tx.loops.list({}));
    expect(loop).toMatchObject({ status: 'blocked', reason: 'integrity' });
    expect(await repo.git('config', 'evil.key')).toBe('1');
  });

  it('is refused where there is no worktree', async () => {
    await using repo = await gitRepo();
    const flags = { agent: `command:${work}`, validate, sandbox: 'worktree' };
    await using project = await openedProject(repo, flags);
    const refused = { code: 'run.sandbox_unavailable', hint: expect.any(String) };
    await expect(project.runText('in place', { inPlace: true })).rejects.toMatchObject(refused);
    await using dir = await tempDir();
    await writeFile(path.join(dir.path, 'a.txt'), 'a');
    await using folder = await openedProject({ path: dir.path, env: repo.env }, flags);
    await expect(folder.runText('no git')).rejects.toMatchObject(refused);
  });

  it('costs at most one git process per iteration', async () => {
    const [off, worktree] = [
      await processesPerIteration('off'),
      await processesPerIteration('worktree'),
    ];
    expect(off).toBeLessThanOrEqual(9);
    expect(worktree - off).toBe(1);
  });
});

describe('without a sandbox', () => {
  it.each([
    ['adds a remote', 'git remote add evil /nowhere', '.git/config'],
    ['plants a hook', 'echo x > $ROOT/.git/hooks/post-commit', '.git/hooks/post-commit'],
    ['plants attributes', 'echo "* diff=x" > $ROOT/.git/info/attributes', '.git/info/attributes'],
  ])('warns of an agent that %s', async (_, misdeed, name) => {
    await using repo = await gitRepo();
    const { loop } = await runMisdeed(repo, misdeed, 'off');
    expect(loop.status).toBe('complete');
    expect(loop.warnings).toEqual([`changed outside of the workspace: ${name}`]);
  });

  it.each([
    ['makes a tag', 'git tag stolen', 'refs/tags/stolen'],
    ['deletes a branch', 'git branch -D side', 'refs/heads/side'],
    ['moves a branch', 'git update-ref refs/heads/side HEAD~1', 'refs/heads/side'],
    [
      'switches the branch of the checkout',
      'git -C $ROOT switch -qc mine',
      'HEAD of your checkout, refs/heads/mine',
    ],
    ['stages in the checkout', 'git -C $ROOT rm -q --cached README.md', 'index of your checkout'],
    [
      'hides an edit behind a flag of the index',
      'git -C $ROOT update-index --skip-worktree README.md',
      'index of your checkout',
    ],
    ['destroys the index of the checkout', 'echo x > $ROOT/.git/index', 'index of your checkout'],
  ])('warns of an agent that %s', async (_, misdeed, name) => {
    await using repo = await gitRepo();
    await repo.write('second.txt', 'x\n');
    await repo.commitAll('second');
    await repo.git('branch', 'side');
    const { loop } = await runMisdeed(repo, misdeed, 'off');
    expect(loop.status).toBe('complete');
    expect(loop.warnings).toEqual([`changed outside of the workspace: ${name}`]);
  });

  it('says nothing of the user’s own work on files of the checkout', async () => {
    await using repo = await gitRepo();
    const edit = 'echo x > $ROOT/README.md; touch $ROOT/src/app.js; git -C $ROOT status -s';
    const { loop } = await runMisdeed(repo, edit, 'off');
    expect(loop).toMatchObject({ status: 'complete', warnings: [] });
  });
});
