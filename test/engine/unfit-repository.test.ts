import { chmod, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { memoryCli } from '../cli/memory-cli.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { openedProject, type TestProject } from '../support/opened-project.ts';

const work = { agent: 'command:echo a > a.txt', validate: 'test -f a.txt' };

function cliIn(repo: Pick<GitRepo, 'path' | 'env'>) {
  return memoryCli({ cwd: repo.path, env: repo.env });
}

async function nothingStored({ engine }: TestProject): Promise<void> {
  expect(await engine.store.read((tx) => tx.loops.list({}))).toEqual([]);
}

function objectFile(repo: GitRepo, id: string): string {
  return path.join(repo.path, '.git/objects', id.slice(0, 2), id.slice(2));
}

async function damage(file: string, how: 'empty' | 'corrupt'): Promise<void> {
  await chmod(file, 0o644);
  await (how === 'empty' ? truncate(file) : writeFile(file, 'garbage'));
}

describe('a repository that cannot be worked in', () => {
  it('is bare: no loop and no task is left', async () => {
    await using repo = await gitRepo();
    const bare = path.join(repo.outside, 'bare.git');
    await repo.gitIn(repo.outside, 'clone', '-q', '--bare', repo.path, bare);
    const place = { path: bare, env: repo.env };
    await using project = await openedProject(place, work);
    await expect(project.runText('bare')).rejects.toMatchObject({ code: 'git.bare' });
    await nothingStored(project);
    const words = ['run', 'greet', '--agent', 'command:true', '--validate', 'true'];
    const { err, exitCode } = await cliIn(place).run(...words);
    expect(exitCode).toBe(3);
    expect(err).toContain('is a bare repository');
    const listed = await cliIn(place).run('task', 'list', '--json');
    expect(listed.out).not.toContain('greet');
  });

  it.each([
    ['commit', 'empty'],
    ['commit', 'corrupt'],
    ['tree', 'empty'],
    ['tree', 'corrupt'],
  ] as const)(
    'has a %s at its base that is %s: refused before a loop is made',
    async (kind, how) => {
      await using repo = await gitRepo();
      await using project = await openedProject(repo, work);
      const file = objectFile(repo, await repo.git('rev-parse', `HEAD^{${kind}}`));
      await damage(file, how);
      const refused = {
        code: 'git.damaged',
        message: expect.stringContaining(`${file} is ${how}`),
        hint: expect.stringContaining('git fsck'),
      };
      await expect(project.runText('damaged')).rejects.toMatchObject(refused);
      await nothingStored(project);
    },
  );

  it('has a file that cannot be read: said in plain words, and no branch is left', async () => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, work);
    await damage(objectFile(repo, await repo.git('rev-parse', 'HEAD:src/app.js')), 'empty');
    await expect(project.runText('damaged')).rejects.toMatchObject({ code: 'git.damaged' });
    expect(await repo.git('for-each-ref', 'refs/heads/loopwright')).toBe('');
  });
});

describe('merging', () => {
  it('a loop that was started on no branch says so, and what to do', async () => {
    await using repo = await gitRepo();
    await repo.git('checkout', '-q', '--detach');
    await using project = await openedProject(repo, work);
    const loop = await project.runText('detached');
    expect(loop.status).toBe('complete');
    const { exitCode, err } = await cliIn(repo).run('merge', loop.id);
    expect(exitCode).toBe(2);
    expect(err).not.toContain('merging');
    expect(err).toContain('no branch was checked out');
    expect(err).toContain('git switch BRANCH');
    expect(err).toContain(`git merge ${loop.workspace.branch}`);
    await repo.git('switch', '-q', 'main');
    await repo.git('merge', '-q', loop.workspace.branch ?? '');
    const shown = await cliIn(repo).run('loop', 'show', loop.id);
    expect(shown.out).not.toContain('loopwright merge');
  });

  it('into a checkout whose index is damaged names the index, as doctor does', async () => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, work);
    const loop = await project.runText('merge me');
    const index = path.join(repo.path, '.git/index');
    await writeFile(index, 'garbage');
    const { exitCode, err } = await cliIn(repo).run('merge', loop.id);
    expect(exitCode).toBe(2);
    expect(err).toContain(index);
    expect(err).toContain('git reset');
    expect(err).not.toContain('uncommitted');
    const { checks } = JSON.parse((await cliIn(repo).run('doctor', '--json')).out);
    const found = checks.find(({ name }: { name: string }) => name === 'repository');
    expect(found).toMatchObject({ status: 'fail', text: expect.stringContaining('index') });
    expect(found.next).toContain('git reset');
  });
});

describe('a link out of the worktree', () => {
  it.each([
    ['to a file elsewhere', 'ln -s "$OUT/x" a.txt', 'a.txt → '],
    ['through another link', 'ln -s "$OUT" dir; ln -s dir/x a.txt', 'a.txt → dir/x, dir → '],
  ])('%s that carries the pass is told', async (_, make, told) => {
    await using repo = await gitRepo();
    await writeFile(path.join(repo.outside, 'x'), 'elsewhere\n');
    const agent = `command:OUT=${repo.outside}; ${make}`;
    const flags = { agent, validate: 'grep -q elsewhere a.txt', 'max-iterations': 1 };
    await using project = await openedProject(repo, flags);
    const loop = await project.runText('links');
    // A clean checkout has nothing of what is elsewhere.
    expect(loop.status).toBe('failed');
    expect(loop.warnings).toEqual([expect.stringContaining(`in no commit: ${told}`)]);
  });

  it('is not one that stays inside', async () => {
    await using repo = await gitRepo();
    const agent = 'command:ln -s README.md a.txt; mkdir deep; ln -s ../README.md deep/b.txt';
    await using project = await openedProject(repo, { agent, validate: 'grep -q hello a.txt' });
    expect((await project.runText('links')).warnings).toEqual([]);
  });
});
