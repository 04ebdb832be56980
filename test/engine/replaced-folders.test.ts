import { existsSync } from 'node:fs';
import { lstat, readFile, rename, symlink } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { memoryCli } from '../cli/memory-cli.ts';
import { digestFolder, gitRepo, writeFileIn, type GitRepo } from '../support/git-repo.ts';
import { openedProject, type TestProject } from '../support/opened-project.ts';

/** Somebody's folder, repository or checkout, and how to tell that it is untouched. */
type Theirs = { readonly folder: string; picture(): Promise<string> };

async function plainFolder(repo: GitRepo): Promise<Theirs> {
  const folder = path.join(repo.outside, 'thesis');
  await writeFileIn(folder, 'thesis.tex', 'years of work\n');
  await writeFileIn(folder, 'node_modules/module/index.js', 'installed\n');
  await writeFileIn(folder, '.gitignore', 'node_modules\n');
  return { folder, picture: () => digestFolder(folder) };
}

async function otherRepository(repo: GitRepo): Promise<Theirs> {
  const theirs = await plainFolder(repo);
  await repo.gitIn(theirs.folder, 'init', '-q');
  await repo.gitIn(theirs.folder, 'add', '-A');
  await repo.gitIn(theirs.folder, 'commit', '-qm', 'theirs');
  return theirs;
}

async function ownCheckout(repo: GitRepo): Promise<Theirs> {
  await writeFileIn(repo.path, 'local-notes.txt', 'not committed\n');
  return {
    folder: repo.path,
    async picture() {
      const files = await digestFolder(repo.path, ['.git', '.loopwright']);
      const index = await digestFolder(path.join(repo.path, '.git'), [
        'objects',
        'refs',
        'logs',
        'worktrees',
        'packed-refs',
      ]);
      return [files, index, await repo.git('rev-parse', 'HEAD', 'main')].join('\n');
    },
  };
}

const targets = [
  ['a plain folder', plainFolder],
  ['another repository', otherRepository],
  ['the checkout of the user', ownCheckout],
] as const;

const swap = (put: string) =>
  `W=$(pwd -P); cd /; mv "$W" "$W.away" && ${put.replaceAll('PLACE', '"$W"')}`;

/** The second iteration does it; the third line of work would be done. */
function flagsFor(misdeed: string) {
  const agent = `echo "$LOOPWRIGHT_ITERATION" >> work.txt; if test "$LOOPWRIGHT_ITERATION" = 2; then ${misdeed}; fi`;
  return { agent: `command:${agent}`, validate: 'test "$(wc -l < work.txt)" -ge 3' };
}

async function onlyLoop(project: TestProject) {
  const [loop] = await project.engine.store.read((tx) => tx.loops.list({}));
  return loop;
}

describe.each(targets)('a worktree that an agent has replaced by a link to %s', (_, make) => {
  it('pauses the loop, which goes on in a new one; nothing behind the link changes', async () => {
    await using repo = await gitRepo();
    const theirs = await make(repo);
    const before = await theirs.picture();
    await using project = await openedProject(repo, flagsFor(swap(`ln -s ${theirs.folder} PLACE`)));
    await expect(project.runText('swap')).rejects.toMatchObject({ code: 'workspace.gone' });
    expect(await onlyLoop(project)).toMatchObject({ status: 'paused', reason: 'interrupted' });
    const loop = await project.resume((await onlyLoop(project))?.id ?? '');
    expect(loop.status).toBe('complete');
    expect(await repo.git('show', `${loop.workspace.branch}:work.txt`)).toBe('1\n3\n4');
    expect(await theirs.picture()).toBe(before);
  });

  it('is not followed when the loop is deleted', async () => {
    await using repo = await gitRepo();
    const theirs = await make(repo);
    const before = await theirs.picture();
    const flags = flagsFor(swap(`ln -s ${theirs.folder} PLACE`));
    await using project = await openedProject(repo, flags);
    await expect(project.runText('swap')).rejects.toMatchObject({ code: 'workspace.gone' });
    const { id = '' } = (await onlyLoop(project)) ?? {};
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const deleted = await cli.run('loop', 'delete', id);
    expect(deleted.exitCode).toBe(0);
    expect(await theirs.picture()).toBe(before);
    expect(existsSync(path.join(repo.path, '.loopwright/worktrees', id))).toBe(false);
    expect(existsSync(path.join(repo.path, '.loopwright/state.db'))).toBe(true);
  });

  it('is seen when a check does it, also before the next check', async () => {
    await using repo = await gitRepo();
    const theirs = await make(repo);
    const before = await theirs.picture();
    const script = swap(`ln -s ${theirs.folder} PLACE`);
    const flags = { agent: 'command:echo x > work.txt', validate: `${script}; true` };
    await using project = await openedProject(repo, flags);
    const ran = project.runText('swap', { verify: true });
    await expect(ran).rejects.toMatchObject({ code: 'workspace.gone' });
    expect(await theirs.picture()).toBe(before);
  });
});

describe('folders of the engine that an agent has replaced', () => {
  it('somebody’s folder moved into the place of the worktree is neither used nor deleted', async () => {
    await using repo = await gitRepo();
    const theirs = await plainFolder(repo);
    const before = await theirs.picture();
    await using project = await openedProject(repo, flagsFor(swap(`mv ${theirs.folder} PLACE`)));
    await expect(project.runText('swap')).rejects.toMatchObject({ code: 'workspace.gone' });
    const { id = '' } = (await onlyLoop(project)) ?? {};
    const place = path.join(repo.path, '.loopwright/worktrees', id);
    const loop = await project.resume(id);
    expect(loop.status).toBe('complete');
    expect(await digestFolder(`${place}.replaced-1`)).toBe(before);
  });

  it('and deleting the loop leaves it where it is, and says so', async () => {
    await using repo = await gitRepo();
    const theirs = await otherRepository(repo);
    const before = await theirs.picture();
    await using project = await openedProject(repo, flagsFor(swap(`mv ${theirs.folder} PLACE`)));
    await expect(project.runText('swap')).rejects.toMatchObject({ code: 'workspace.gone' });
    const { id = '' } = (await onlyLoop(project)) ?? {};
    const place = path.join(repo.path, '.loopwright/worktrees', id);
    const { exitCode, out } = await memoryCli({ cwd: repo.path, env: repo.env }).run(
      'loop',
      'delete',
      id,
    );
    expect(exitCode).toBe(0);
    expect(out).toContain(`${place} is not its worktree any more`);
    expect(await digestFolder(place)).toBe(before);
  });

  it('a git folder that leads to the user’s own changes nothing there', async () => {
    await using repo = await gitRepo();
    const own = await ownCheckout(repo);
    const before = await own.picture();
    const gitDir = `${repo.path}/.git/worktrees/$LOOPWRIGHT_LOOP`;
    const misdeed = `mv ${gitDir} ${repo.outside}/git-dir; ln -s ${repo.path}/.git ${gitDir}`;
    await using project = await openedProject(repo, flagsFor(misdeed));
    await expect(project.runText('swap')).rejects.toMatchObject({ code: 'workspace.gone' });
    expect(await own.picture()).toBe(before);
    const loop = await project.resume((await onlyLoop(project))?.id ?? '');
    expect(loop.status).toBe('complete');
    expect(await own.picture()).toBe(before);
  });

  it('worktrees behind a link are refused before anything is made there', async () => {
    await using repo = await gitRepo();
    const theirs = await plainFolder(repo);
    const before = await theirs.picture();
    await using project = await openedProject(repo, flagsFor('true'));
    await writeFileIn(repo.path, '.loopwright/.gitignore', '*\n');
    await symlink(theirs.folder, path.join(repo.path, '.loopwright/worktrees'));
    await expect(project.runText('linked')).rejects.toMatchObject({ code: 'workspace.linked' });
    expect(await theirs.picture()).toBe(before);
  });

  it.each([
    ['a link to somebody’s folder', 'ln -s'],
    ['somebody’s folder', 'mv'],
  ])('%s in place of an iteration’s records gets nothing written', async (_, put) => {
    await using repo = await gitRepo();
    const theirs = await plainFolder(repo);
    await writeFileIn(theirs.folder, 'final.md', 'theirs\n');
    const before = await theirs.picture();
    const misdeed = `D=$(dirname "$LOOPWRIGHT_PROMPT_FILE"); mv "$D" "$D.away"; ${put} ${theirs.folder} "$D"`;
    await using project = await openedProject(repo, flagsFor(misdeed));
    await expect(project.runText('swap')).rejects.toMatchObject({ code: 'artifacts.replaced' });
    expect(await onlyLoop(project)).toMatchObject({ status: 'paused', reason: 'interrupted' });
    const { id = '' } = (await onlyLoop(project)) ?? {};
    const folder = path.join(project.engine.artifacts.loopDir(id), 'iterations/002');
    expect(await digestFolder(put === 'mv' ? folder : theirs.folder)).toBe(before);
    expect((await project.resume(id)).status).toBe('complete');
    expect(await digestFolder(put === 'mv' ? folder : theirs.folder)).toBe(before);
  });

  it('links and second names in place of records are taken away, not written through', async () => {
    await using repo = await gitRepo();
    const theirs = await plainFolder(repo);
    const before = await theirs.picture();
    const target = path.join(theirs.folder, 'thesis.tex');
    const names = [
      'final.md',
      `final.md.tmp-${process.pid}`,
      'changes.patch',
      'changes.patch.partial',
      'changes.patch.partial.partial',
      'verification.json',
      `verification.json.tmp-${process.pid}`,
      'validation.stderr.log',
    ];
    const misdeed = [
      'cd "$(dirname "$LOOPWRIGHT_PROMPT_FILE")"',
      ...names.map((name) => `ln -s ${target} ${name}`),
      `ln ${target} validation.stdout.log`,
      `ln ${target} surroundings.json.tmp-${process.pid}`,
    ].join('; ');
    await using project = await openedProject(repo, flagsFor(misdeed));
    const loop = await project.runText('planted');
    expect(loop.status).toBe('complete');
    expect(await theirs.picture()).toBe(before);
    const folder = path.join(project.engine.artifacts.loopDir(loop.id), 'iterations/002');
    for (const name of ['final.md', 'changes.patch', 'verification.json', 'validation.stdout.log'])
      expect((await lstat(path.join(folder, name))).isFile()).toBe(true);
    expect(await readFile(target, 'utf8')).toBe('years of work\n');
  });

  it('deleting a loop whose records are a link removes the link', async () => {
    await using repo = await gitRepo();
    const theirs = await plainFolder(repo);
    const before = await theirs.picture();
    await using project = await openedProject(repo, { agent: 'command:true', validate: 'false' });
    const loop = await project.runText('records', { verify: true });
    const folder = project.engine.artifacts.loopDir(loop.id);
    await rename(folder, path.join(repo.outside, 'records'));
    await symlink(theirs.folder, folder);
    await project.engine.artifacts.remove(loop.id);
    expect(existsSync(folder)).toBe(false);
    expect(await theirs.picture()).toBe(before);
  });
});
