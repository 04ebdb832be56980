import { execFileSync } from 'node:child_process';
import {
  chmod,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  symlink,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { poolFolder } from '../../../src/adapters/git/worktree-pool.ts';
import type { GitRepo } from '../../support/git-repo.ts';
import { loopHarness, loopSpec, signal, type LoopHarness } from './loop-harness.ts';

const pool = 2;

/** Everything in a folder but git's own: kind, permissions, links and content of each entry. */
function picture(folder: string): string {
  const script =
    'find . -path ./.git -prune -o -printf "%y %m %n %p %l\\n" | sort; ' +
    'find . -path ./.git -prune -o -type f -exec sha1sum {} + | sort';
  return execFileSync('sh', ['-c', script], { cwd: folder, encoding: 'utf8' });
}

/** Opens a second loop at the base of the first, and one that has never been in the pool. */
async function successors(loop: LoopHarness) {
  const base = await loop.repo.git('rev-parse', 'HEAD');
  const spec = { ...(await loopSpec(loop.repo, 'loop-2')), base, pool };
  const reused = await loop.project.openWorkspace(spec, signal);
  const fresh = await loop.project.openWorkspace(
    { ...(await loopSpec(loop.repo, 'loop-3')), base, pool: 0 },
    signal,
  );
  return { spec, reused, fresh };
}

async function parked(repo: GitRepo): Promise<readonly string[]> {
  const folder = poolFolder(path.join(repo.path, '.loopwright/worktrees/any'));
  const names = await readdir(folder).catch(() => []);
  return names.map((name) => name.slice(0, name.lastIndexOf('.')));
}

async function tracked(repo: GitRepo): Promise<void> {
  await repo.write('src/deep/one.txt', 'one\n');
  await repo.write('run.sh', '#!/bin/sh\n');
  await chmod(path.join(repo.path, 'run.sh'), 0o755);
  await repo.write('.gitignore', '*.log\nbuild/\n');
  await repo.git('add', '-A');
  await repo.git('commit', '-qm', 'files');
}

const traces: readonly (readonly [string, (loop: LoopHarness, at: string) => Promise<unknown>])[] =
  [
    [
      'untracked and ignored files',
      async (loop) => {
        await loop.write('new/file.txt', 'x');
        await loop.write('noise.log', 'x');
        await loop.write('build/out.bin', 'x');
      },
    ],
    [
      'edited, deleted and renamed files',
      async (loop, at) => {
        await loop.write('src/app.js', 'changed\n');
        await rename(path.join(at, 'README.md'), path.join(at, 'READYOU.md'));
      },
    ],
    [
      'an edit hidden by flags of the index',
      async (loop) => {
        await loop.agent('update-index', '--assume-unchanged', 'README.md');
        await loop.agent('update-index', '--skip-worktree', 'src/app.js');
        await loop.write('README.md', 'hidden\n');
        await loop.write('src/app.js', 'hidden\n');
      },
    ],
    [
      'an edit of the same size and time',
      async (loop, at) => {
        const file = path.join(at, 'README.md');
        const text = await readFile(file, 'utf8');
        await writeFile(file, text.replaceAll(/[a-z]/g, 'x'));
        execFileSync('touch', ['-r', path.join(at, 'src/app.js'), file]);
      },
    ],
    ['a sparse checkout', (loop) => loop.agent('sparse-checkout', 'set', 'src')],
    ['commits of its own', (loop) => loop.iterate(() => loop.write('src/app.js', 'committed\n'))],
    [
      'forced ignored files',
      async (loop) => {
        await loop.write('noise.log', 'x');
        await loop.agent('add', '-f', 'noise.log');
      },
    ],
    [
      'a file in place of a folder, and a folder in place of a file',
      async (loop, at) => {
        execFileSync('rm', ['-rf', path.join(at, 'src'), path.join(at, 'README.md')]);
        await loop.write('src', 'file');
        await loop.write('README.md/inner.txt', 'folder');
      },
    ],
    [
      'a repository inside',
      async (loop, at) => {
        await mkdir(path.join(at, 'inner'));
        await loop.repo.gitIn(path.join(at, 'inner'), 'init', '-q');
        await loop.write('inner/file.txt', 'x');
      },
    ],
    [
      'permissions',
      async (_, at) => {
        await chmod(path.join(at, 'README.md'), 0o600);
        await chmod(path.join(at, 'run.sh'), 0o644);
        await chmod(path.join(at, 'src/deep'), 0o777);
      },
    ],
    [
      'links, hard and symbolic',
      async (loop, at) => {
        const outside = path.join(loop.repo.outside, 'outside.txt');
        await link(path.join(at, 'README.md'), outside);
        await symlink('/etc', path.join(at, 'etc'));
      },
    ],
    [
      'pipes and empty folders',
      async (_, at) => {
        execFileSync('mkfifo', [path.join(at, 'src/pipe')]);
        await mkdir(path.join(at, 'empty/inside'), { recursive: true });
      },
    ],
    [
      'a half merge and a config of its own',
      async (loop, at) => {
        await loop.agent('checkout', '-q', '--detach');
        const gitDir = await loop.agent('rev-parse', '--absolute-git-dir');
        await writeFile(path.join(gitDir, 'MERGE_HEAD'), `${loop.spec.base}\n`);
        await writeFile(path.join(gitDir, 'config.worktree'), '[core]\n\tbare = true\n');
        await writeFile(path.join(at, '.git'), 'gitdir: /nowhere\n');
      },
    ],
  ];

describe('the pool of worktrees', () => {
  test.each(traces)('nothing is left of %s', async (_, act) => {
    await using loop = await loopHarness(tracked, { pool });
    await act(loop, loop.workspace.path);
    await loop.project.removeWorkspace(loop.spec, signal);
    const { reused, fresh } = await successors(loop);
    expect(picture(reused.workspace.path)).toBe(picture(fresh.workspace.path));
    const snapshots = [reused, fresh].map(({ workspace }) => workspace.snapshot(signal));
    const [one, other] = await Promise.all(snapshots);
    expect(one).toBe(other);
    const { path: at } = reused.workspace;
    expect(await loop.repo.gitIn(at, 'status', '--porcelain', '--ignored')).toBe('');
    expect(await loop.repo.gitIn(at, 'ls-files', '-v')).not.toMatch(/^[a-zS]/m);
    expect(await loop.repo.gitIn(at, 'symbolic-ref', 'HEAD')).toBe('refs/heads/loopwright/loop-2');
    expect(reused).toMatchObject({ created: true, repaired: [] });
  });

  test('files are used again, and follow the base', async () => {
    await using loop = await loopHarness(tracked, { pool });
    await loop.project.removeWorkspace(loop.spec, signal);
    expect(await parked(loop.repo)).toEqual(['loop-1']);
    await loop.repo.write('src/app.js', 'moved on\n');
    await loop.repo.git('commit', '-qam', 'on');
    const { reused, fresh } = await successors(loop);
    expect(await parked(loop.repo)).toEqual([]);
    expect(await readFile(path.join(reused.workspace.path, 'src/app.js'), 'utf8')).toBe(
      'moved on\n',
    );
    expect(picture(reused.workspace.path)).toBe(picture(fresh.workspace.path));
  });

  test('holds no more than it may, and nothing when it is off', async () => {
    await using loop = await loopHarness(tracked, { pool: 1 });
    const other = { ...(await loopSpec(loop.repo, 'loop-2')), pool: 1 };
    const third = { ...(await loopSpec(loop.repo, 'loop-3')), pool: 0 };
    for (const spec of [other, third]) await loop.project.openWorkspace(spec, signal);
    for (const spec of [third, loop.spec, other]) await loop.project.removeWorkspace(spec, signal);
    expect(await parked(loop.repo)).toEqual(['loop-1']);
    const left = await readdir(path.join(loop.repo.path, '.loopwright/worktrees'));
    expect(left).toEqual(['.pool']);
    expect(await loop.repo.git('worktree', 'list')).not.toContain('loop-');
  });

  test('what was committed stays on its branch', async () => {
    await using loop = await loopHarness(tracked, { pool });
    const { head } = await loop.iterate(() => loop.write('work.txt', 'work\n'));
    await loop.project.removeWorkspace(loop.spec, signal);
    expect(await loop.repo.git('rev-parse', 'loopwright/loop-1')).toBe(head);
    const again = await loop.project.openWorkspace(loop.spec, signal);
    expect(await again.workspace.head(signal)).toBe(head);
    expect(await loop.read('work.txt')).toBe('work\n');
  });

  test('files that cannot be brought to the commit are dropped, and a new worktree is made', async () => {
    await using loop = await loopHarness(tracked, { pool });
    await loop.project.removeWorkspace(loop.spec, signal);
    await loop.repo.write('src/.gitattributes', '* text\n');
    await loop.repo.git('add', '-A');
    await loop.repo.git('commit', '-qm', 'attributes');
    const { reused, fresh } = await successors(loop);
    expect(reused.repaired).toEqual(['a used worktree could not be reset, a new one was made']);
    expect(picture(reused.workspace.path)).toBe(picture(fresh.workspace.path));
    expect(await parked(loop.repo)).toEqual([]);
  });

  test.each(['.gitattributes', '.gitmodules'])('with %s nothing is parked', async (name) => {
    await using loop = await loopHarness(
      async (repo) => {
        await repo.write(name, '\n');
        await repo.git('add', '-A');
        await repo.git('commit', '-qm', name);
      },
      { pool },
    );
    await loop.project.removeWorkspace(loop.spec, signal);
    expect(await parked(loop.repo)).toEqual([]);
  });

  test('an engine that died between two steps leaves nothing that is in the way', async () => {
    await using loop = await loopHarness(tracked, { pool });
    const folder = loop.workspace.path;
    const { ino } = await lstat(folder);
    const kept = path.join(poolFolder(folder), `loop-1.${ino}`);
    // Parked, and still registered.
    await mkdir(poolFolder(folder), { recursive: true });
    await rename(folder, kept);
    await loop.project.removeWorkspace(loop.spec, signal);
    expect(await parked(loop.repo)).toEqual(['loop-1']);
    // Taken for loop-2, which was registered without files.
    const next = { ...(await loopSpec(loop.repo, 'loop-2')), pool };
    await rename(kept, path.join(poolFolder(folder), `taken-loop-2.${ino}`));
    const args = ['worktree', 'add', '-q', '--no-checkout', '-b', next.branch, next.path];
    await loop.repo.git(...args);
    const opened = await loop.project.openWorkspace(next, signal);
    expect(opened.repaired).toEqual(['half-made worktree made anew']);
    expect(await parked(loop.repo)).toEqual([]);
    const fresh = { ...(await loopSpec(loop.repo, 'loop-3')), pool: 0 };
    const other = await loop.project.openWorkspace(fresh, signal);
    expect(picture(opened.workspace.path)).toBe(picture(other.workspace.path));
  });

  test('one folder goes to one of several that ask at once', async () => {
    await using loop = await loopHarness(tracked, { pool });
    await loop.project.removeWorkspace(loop.spec, signal);
    const ids = ['loop-2', 'loop-3', 'loop-4'];
    const opened = await Promise.all(
      ids.map(async (id) =>
        loop.project.openWorkspace({ ...(await loopSpec(loop.repo, id)), pool }, signal),
      ),
    );
    const pictures = new Set(opened.map(({ workspace }) => picture(workspace.path)));
    expect(pictures.size).toBe(1);
    expect(opened.map(({ repaired }) => repaired)).toEqual([[], [], []]);
  });

  test.each([
    ['a link to the files of somebody', (theirs: string, place: string) => symlink(theirs, place)],
    ['the files of somebody', (theirs: string, place: string) => rename(theirs, place)],
  ])('%s in place of a parked folder are neither used nor deleted', async (_, put) => {
    await using loop = await loopHarness(tracked, { pool });
    await loop.project.removeWorkspace(loop.spec, signal);
    const folder = poolFolder(loop.workspace.path);
    const [name = ''] = await readdir(folder);
    const place = path.join(folder, name);
    const theirs = path.join(loop.repo.outside, 'theirs');
    await mkdir(theirs);
    await writeFile(path.join(theirs, 'thesis.tex'), 'years of work');
    await rename(place, path.join(loop.repo.outside, 'parked'));
    await put(theirs, place);
    const next = { ...(await loopSpec(loop.repo, 'loop-2')), pool: 1 };
    const opened = await loop.project.openWorkspace(next, signal);
    expect(opened.repaired).toEqual([]);
    await loop.project.removeWorkspace(next, signal);
    expect(await readdir(place)).toEqual(['thesis.tex']);
  });

  test('a pool that is a link is not used', async () => {
    await using loop = await loopHarness(tracked, { pool });
    const theirs = path.join(loop.repo.outside, 'theirs');
    await mkdir(theirs);
    await symlink(theirs, poolFolder(loop.workspace.path));
    await loop.project.removeWorkspace(loop.spec, signal);
    expect(await readdir(theirs)).toEqual([]);
  });
});
