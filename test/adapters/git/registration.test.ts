import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { openProject } from '../../../src/adapters/git/open-project.ts';
import { failpointNames } from '../../../src/ports/failpoint.ts';
import type { KnownLoops } from '../../../src/ports/workspace.ts';
import { digestFolder, gitRepo, type GitRepo } from '../../support/git-repo.ts';
import { processesWith } from '../../support/invariants.ts';
import { loopSpecAt } from '../../support/loop-spec.ts';
import { userGitFailures } from '../../support/user-git.ts';
import { loopHarness, loopSpec, signal, type LoopHarness } from './loop-harness.ts';

const isFull = process.env['LOOPWRIGHT_TEST_FULL'] === '1';
const program = fileURLToPath(
  new URL('../../reliability/programs/make-worktrees.ts', import.meta.url),
);

/** A store that knows one loop, which rests. */
function known(repo: GitRepo, loopId = 'loop-1', driven = false): KnownLoops {
  const { path: folder, branch } = loopSpecAt(repo.path, '', loopId);
  return {
    folder: path.dirname(folder),
    find: async (id) => (id === loopId ? { path: folder, branch, isOpen: false } : null),
    isDriven: async (id) => driven && id === loopId,
  };
}

type Damage = 'missing' | 'empty' | 'zeros' | 'garbage';
const damages: readonly Damage[] = ['missing', 'empty', 'zeros', 'garbage'];
const files = ['gitdir', 'commondir', 'HEAD', 'index'];
const cases = files.flatMap((file) => damages.map((damage) => ({ file, damage })));

async function damageFile(file: string, damage: Damage): Promise<void> {
  const { size } = await stat(file);
  if (damage === 'missing') return rm(file);
  const content = { empty: '', zeros: Buffer.alloc(size), garbage: 'gar bage\n' }[damage];
  return writeFile(file, content);
}

async function withWork(): Promise<{ loop: LoopHarness; gitDir: string }> {
  const loop = await loopHarness();
  await loop.iterate(() => loop.write('done.txt', 'done\n'));
  await loop.write('wip.txt', 'wip\n');
  return { loop, gitDir: path.join(loop.repo.path, '.git/worktrees/loop-1') };
}

describe('a registration whose files a power cut has emptied', () => {
  test.each(cases)('$file $damage: the next start writes it again', async ({ file, damage }) => {
    const { loop, gitDir } = await withWork();
    await using _ = loop;
    await damageFile(path.join(gitDir, file), damage);
    await loop.project.tidyWorktrees(known(loop.repo), signal);
    expect(await userGitFailures(loop.repo)).toEqual([]);
    expect(await loop.agent('symbolic-ref', 'HEAD')).toBe('refs/heads/loopwright/loop-1');
    const again = await loop.project.openWorkspace(loop.spec, signal);
    expect(again).toMatchObject({ created: false, repaired: [] });
    expect(await loop.agent('status', '--porcelain')).toBe('?? wip.txt');
  });

  test.each(cases)('$file $damage: opening the loop mends it', async ({ file, damage }) => {
    const { loop, gitDir } = await withWork();
    await using _ = loop;
    await damageFile(path.join(gitDir, file), damage);
    const again = await loop.project.openWorkspace(loop.spec, signal);
    expect(again.created).toBe(false);
    expect(await userGitFailures(loop.repo)).toEqual([]);
    expect(await loop.agent('status', '--porcelain')).toBe('?? wip.txt');
  });

  test('all of them at once', async () => {
    const { loop, gitDir } = await withWork();
    await using _ = loop;
    for (const file of files) await damageFile(path.join(gitDir, file), 'empty');
    const done = await loop.project.tidyWorktrees(known(loop.repo), signal);
    expect(done).toHaveLength(1);
    expect(await userGitFailures(loop.repo)).toEqual([]);
    expect(await loop.read('wip.txt')).toBe('wip\n');
  });

  test('is left to the engine that drives its loop', async () => {
    const { loop, gitDir } = await withWork();
    await using _ = loop;
    await damageFile(path.join(gitDir, 'commondir'), 'empty');
    expect(await loop.project.tidyWorktrees(known(loop.repo, 'loop-1', true), signal)).toEqual([]);
    expect(await readFile(path.join(gitDir, 'commondir'), 'utf8')).toBe('');
  });
});

describe('a registration that git itself was killed in', () => {
  test.each([[[]], [['locked']], [['locked', 'gitdir']], [['locked', 'gitdir', 'HEAD']]])(
    'with %j and an empty file after it, is removed',
    async (whole) => {
      await using repo = await gitRepo();
      const spec = await loopSpec(repo, 'loop-0123abcd');
      const gitDir = path.join(repo.path, '.git/worktrees/loop-0123abcd');
      await repo.git('worktree', 'add', '--quiet', '-b', spec.branch, spec.path);
      const order = ['locked', 'gitdir', 'HEAD', 'commondir'];
      await writeFile(path.join(gitDir, 'locked'), 'initializing');
      for (const file of order.slice(whole.length)) await rm(path.join(gitDir, file));
      await rm(path.join(gitDir, 'index'));
      await writeFile(path.join(gitDir, order[whole.length] ?? ''), '');
      const project = await openProject(repo.path, signal, repo.env);
      expect(await project.tidyWorktrees(known(repo, 'none'), signal)).toHaveLength(1);
      expect(existsSync(gitDir)).toBe(false);
      expect(await userGitFailures(repo)).toEqual([]);
      const opened = await project.openWorkspace(spec, signal);
      expect(opened.created).toBe(true);
      expect(await readFile(path.join(spec.path, 'README.md'), 'utf8')).toBe('hello\n');
    },
  );

  test('is never changed when it is the user’s, and keeps no loop from working', async () => {
    await using loop = await loopHarness(async (repo) => {
      await repo.git('worktree', 'add', '--quiet', '-b', 'mine', path.join(repo.outside, 'mine'));
      await writeFile(path.join(repo.path, '.git/worktrees/mine/commondir'), '');
    });
    const gitDir = path.join(loop.repo.path, '.git/worktrees/mine');
    const before = await digestFolder(gitDir);
    await loop.iterate(() => loop.write('done.txt', 'done\n'));
    expect(await loop.project.tidyWorktrees(known(loop.repo), signal)).toEqual([]);
    await loop.project.removeWorkspace(loop.spec, signal);
    await loop.project.deleteBranch(loop.spec.branch, signal);
    expect(await digestFolder(gitDir)).toBe(before);
  });
});

test('a worktree of the user’s with the name of a loop’s keeps it; the loop’s gets a number', async () => {
  await using loop = await loopHarness((repo) =>
    repo.git('worktree', 'add', '--quiet', '-b', 'mine', path.join(repo.outside, 'loop-1')),
  );
  expect(await readdir(path.join(loop.repo.path, '.git/worktrees'))).toEqual(['loop-1', 'loop-11']);
  expect((await loop.project.openWorkspace(loop.spec, signal)).created).toBe(false);
  await loop.project.removeWorkspace(loop.spec, signal);
  expect(await readdir(path.join(loop.repo.path, '.git/worktrees'))).toEqual(['loop-1']);
  expect(await userGitFailures(loop.repo)).toEqual([]);
});

test('the registration of a loop that rests goes when its folder is gone, unless its disk is', async () => {
  await using loop = await loopHarness();
  const gitDir = path.join(loop.repo.path, '.git/worktrees/loop-1');
  await rm(path.dirname(loop.workspace.path), { recursive: true });
  expect(await loop.project.tidyWorktrees(known(loop.repo), signal)).toEqual([]);
  expect(existsSync(gitDir)).toBe(true);
  await mkdir(path.dirname(loop.workspace.path));
  expect(await loop.project.tidyWorktrees(known(loop.repo), signal)).toHaveLength(1);
  expect(existsSync(gitDir)).toBe(false);
});

test('a project that was moved has its worktrees registered at the new place when they are opened', async () => {
  await using loop = await loopHarness();
  await loop.iterate(() => loop.write('done.txt', 'done\n'));
  await loop.write('wip.txt', 'wip\n');
  const root = path.join(loop.repo.outside, 'moved');
  await rename(loop.repo.path, root);
  const project = await openProject(root, signal, loop.repo.env);
  const spec = loopSpecAt(root, loop.spec.base, 'loop-1');
  expect(
    await project.tidyWorktrees({ ...known(loop.repo), folder: path.dirname(spec.path) }, signal),
  ).toEqual([]);
  const { created, repaired } = await project.openWorkspace(spec, signal);
  expect({ created, repaired }).toEqual({
    created: false,
    repaired: ['worktree moved with its project, registered at its new place'],
  });
  expect(await loop.repo.gitIn(spec.path, 'status', '--porcelain')).toBe('?? wip.txt');
  expect(await loop.repo.gitIn(root, 'worktree', 'list')).toContain(spec.path);
});

test('a sparse checkout and the user’s own configuration of it come along', async () => {
  await using loop = await loopHarness(async (repo) => {
    await repo.write('docs/a.md', 'a\n');
    await repo.commitAll('docs');
    await repo.git('sparse-checkout', 'set', 'src');
  });
  expect(existsSync(path.join(loop.workspace.path, 'docs'))).toBe(false);
  expect(existsSync(path.join(loop.workspace.path, 'src/app.js'))).toBe(true);
  expect(await loop.agent('config', '--bool', 'core.sparseCheckout')).toBe('true');
  expect(await loop.agent('status', '--porcelain')).toBe('');
});

/** In a variable that git commands of the engine get as well. */
const token = path.join(tmpdir(), `token-${randomUUID()}`);

function start(repo: GitRepo, base: string, count: number, failAt = '') {
  const args = [program, repo.path, base, String(count), failAt];
  const env = { ...repo.env, TMPDIR: token };
  return spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** The third worktree is made from files of the pool. */
const moments = failpointNames
  .filter((name) => name.endsWith('register-worktree'))
  .flatMap((point) => [`${point}:2`, `${point}:3`]);

describe('an engine that is killed while a worktree comes or goes', () => {
  test.each(moments)(
    '%s: git sees all of it or nothing, and the next start clears it',
    async (at) => {
      await using repo = await gitRepo();
      const base = await repo.git('rev-parse', 'HEAD');
      const child = start(repo, base, 3, `${at}:kill`);
      const [, ended] = await once(child, 'exit');
      expect(ended).toBe('SIGKILL');
      expect(await userGitFailures(repo)).toEqual([]);
      await expectTidy(repo, base);
    },
  );

  const rounds = isFull ? 40 : 6;
  test(`at any moment, ${rounds} times: the user’s git works at once`, async () => {
    await using repo = await gitRepo();
    for (let number = 0; number < 60; number++) await repo.write(`many/${number}.txt`, 'x\n');
    const base = await repo.commitAll('files');
    for (let round = 0; round < rounds; round++) {
      const child = start(repo, base, 1000);
      const ended = once(child, 'exit');
      await once(child.stdout, 'data');
      // A moment that differs each time; nothing depends on which it is.
      await sleep(Math.random() * 400);
      await killAs(who[round % who.length] ?? 'engine', child.pid ?? 0, ended);
      expect(await userGitFailures(repo)).toEqual([]);
      await expectTidy(repo, base);
    }
  }, 1_800_000);

  test('is waited for while it lives', async () => {
    await using repo = await gitRepo();
    const base = await repo.git('rev-parse', 'HEAD');
    const child = start(repo, base, 1, 'before:register-worktree:1:hang');
    const ended = once(child, 'exit');
    await once(child.stderr, 'data');
    const project = await openProject(repo.path, signal, repo.env);
    expect(await project.tidyWorktrees(known(repo, 'none'), signal)).toEqual([]);
    child.kill('SIGKILL');
    await ended;
    expect(await project.tidyWorktrees(known(repo, 'none'), signal)).toHaveLength(1);
    await expectTidy(repo, base);
  });
});

/** `git`: its commands are killed, and the engine only if it goes on. `family`: both at once. */
type Killed = 'engine' | 'git' | 'family';
const who: readonly Killed[] = ['engine', 'git', 'family'];

async function killAs(what: Killed, engine: number, ended: Promise<unknown>): Promise<void> {
  const gits = processesWith(token).filter((pid) => pid !== engine);
  const all = { engine: [engine], git: gits, family: [engine, ...gits] }[what];
  for (const pid of all) kill(pid);
  if (what === 'git') await Promise.race([ended, sleep(100)]);
  kill(engine);
  await ended;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone meanwhile.
  }
}

/** After a start and one more life of the worktree nothing is left of either. */
async function expectTidy(repo: GitRepo, base: string): Promise<void> {
  const project = await openProject(repo.path, signal, repo.env);
  const spec = loopSpecAt(repo.path, base, 'loop-0000000a');
  await project.tidyWorktrees(known(repo, spec.loopId), signal);
  const { workspace } = await project.openWorkspace(spec, signal);
  expect(await repo.gitIn(workspace.path, 'status', '--porcelain')).toBe('');
  await project.removeWorkspace(spec, signal);
  await project.deleteBranch(spec.branch, signal);
  for (const folder of ['.git/loopwright', '.git/worktrees', spec.path]) {
    expect(existsSync(path.resolve(repo.path, folder)), folder).toBe(false);
  }
  expect(await userGitFailures(repo)).toEqual([]);
}

describe('a throwaway worktree that a killed engine left', () => {
  const loopId = 'loop-0123abcd';

  async function leave(repo: GitRepo, name: string) {
    const base = await repo.git('rev-parse', 'HEAD');
    const spec = loopSpecAt(repo.path, base, `${loopId}-${name}`);
    const child = spawn(
      process.execPath,
      [
        '--input-type=module',
        '--eval',
        `import { openProject } from ${JSON.stringify(new URL('../../../src/adapters/git/open-project.ts', import.meta.url).href)};
         const { signal } = new AbortController();
         const project = await openProject(${JSON.stringify(repo.path)}, signal, process.env);
         await project.openWorkspace(${JSON.stringify(spec)}, signal);
         process.kill(process.pid, 'SIGKILL');`,
      ],
      { env: repo.env, stdio: 'inherit' },
    );
    await once(child, 'exit');
    return spec;
  }

  test.each(['base', 'clean', 'receipt-base'])(
    '%s: folder, registration and branch go',
    async (name) => {
      await using repo = await gitRepo();
      const spec = await leave(repo, name);
      expect(existsSync(spec.path)).toBe(true);
      const project = await openProject(repo.path, signal, repo.env);
      expect(await project.tidyWorktrees(known(repo, loopId, true), signal)).toEqual([]);
      expect(await project.tidyWorktrees(known(repo, loopId), signal)).toHaveLength(1);
      expect(existsSync(spec.path)).toBe(false);
      expect(existsSync(path.join(repo.path, '.git/worktrees'))).toBe(false);
      expect(await repo.git('for-each-ref', 'refs/heads/loopwright')).toBe('');
    },
  );

  test('a branch alone goes too, packed or not; one of the user’s does not', async () => {
    await using repo = await gitRepo();
    await repo.git('branch', `loopwright/${loopId}-base`);
    await repo.git('pack-refs', '--all');
    await repo.git('branch', `loopwright/${loopId}-clean`);
    await repo.git('branch', `loopwright/${loopId}-mine`);
    const project = await openProject(repo.path, signal, repo.env);
    expect(await project.tidyWorktrees(known(repo, loopId), signal)).toHaveLength(2);
    const left = await repo.git(
      'for-each-ref',
      '--format=%(refname:short)',
      'refs/heads/loopwright',
    );
    expect(left).toBe(`loopwright/${loopId}-mine`);
  });

  test('one that was killed on its way out goes with its branch at the next start', async () => {
    await using repo = await gitRepo();
    const spec = await leave(repo, 'base');
    const gone = path.join(repo.path, '.git/loopwright', `leaving-${spec.loopId}`);
    await mkdir(path.dirname(gone));
    await rename(path.join(repo.path, '.git/worktrees', spec.loopId), gone);
    const project = await openProject(repo.path, signal, repo.env);
    await project.tidyWorktrees(known(repo, loopId), signal);
    expect([existsSync(gone), existsSync(spec.path)]).toEqual([false, false]);
    expect(await repo.git('for-each-ref', 'refs/heads/loopwright')).toBe('');
  });

  test('one of this very process stays', async () => {
    await using loop = await loopHarness();
    const spec = loopSpecAt(loop.repo.path, loop.spec.base, `${loopId}-base`);
    await loop.project.openWorkspace(spec, signal);
    expect(await loop.project.tidyWorktrees(known(loop.repo, loopId), signal)).toEqual([]);
    expect(existsSync(spec.path)).toBe(true);
  });
});
