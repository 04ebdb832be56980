import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { GitRepo } from '../../support/git-repo.ts';
import { movable, signal, type Movable } from './cut-move.ts';
import { openProject } from '../../../src/adapters/git/open-project.ts';

/** Every kind of change a move can bring. */
async function manyKinds(repo: GitRepo): Promise<void> {
  await repo.write('README.md', 'by the loop\n');
  await repo.write('new/deep/file.txt', 'new\n');
  await repo.git('rm', '-q', 'gone/only.txt');
  await repo.git('mv', 'old-name.txt', 'new-name.txt');
  await rm(path.join(repo.path, 'becomes-folder'));
  await repo.write('becomes-folder/inside.txt', 'inside\n');
  await rm(path.join(repo.path, 'becomes-file'), { recursive: true });
  await repo.write('becomes-file', 'file\n');
  await chmod(path.join(repo.path, 'run.sh'), 0o755);
  await rm(path.join(repo.path, 'link'));
  await symlink('README.md', path.join(repo.path, 'link'));
  await repo.write('odd\nname \u00e9"\t.txt', 'odd, changed\n');
  await writeFile(
    Buffer.concat([Buffer.from(`${repo.path}/`), Buffer.from([0x62, 0xff])]),
    'bytes\n',
  );
  await repo.write('.gitattributes', '*.crlf text eol=crlf\n');
  await repo.write('a.crlf', 'one\r\ntwo\r\nthree\r\n');
}

async function beforeMany(repo: GitRepo): Promise<void> {
  await repo.write('gone/only.txt', 'goes\n');
  await repo.write('old-name.txt', 'renamed, with enough text to be found\n');
  await repo.write('becomes-folder', 'a file\n');
  await repo.write('becomes-file/inside.txt', 'in a folder\n');
  await repo.write('run.sh', '#!/bin/sh\n');
  await symlink('src/app.js', path.join(repo.path, 'link'));
  await repo.write('odd\nname \u00e9"\t.txt', 'odd\n');
  await repo.write('a.crlf', 'one\ntwo\n');
}

const points = [
  'before:move-files',
  'after:move-files',
  'before:move-ref',
  'after:move-ref',
  'before:move-index',
  'after:move-index',
];

/** Clean, at the commit its branch has, and nothing of the engine's is left in the git folder. */
async function expectWhole(moved: Movable, head: string, folder = moved.repo.path): Promise<void> {
  const { repo } = moved;
  expect(await repo.gitIn(folder, 'rev-parse', 'HEAD')).toBe(head);
  expect(await repo.gitIn(folder, 'status', '--porcelain')).toBe('');
  expect(await repo.gitIn(folder, 'diff', 'HEAD', '--stat')).toBe('');
  expect(await repo.git('stash', 'list')).toBe('');
  expect(existsSync(path.join(repo.path, '.git/loopwright'))).toBe(false);
  expect(existsSync(path.join(repo.path, '.git/index.lock'))).toBe(false);
  expect(await moved.settle()).toEqual([]);
}

/** In the middle of writing files, git and the engine that waits for it are gone. */
const killBoth = (count: number) => `case "$*" in
  *dry-run*) ;;
  "read-tree -m -u"*)
    "$real" diff-tree -r --name-only -z "$4" "$5" | head -z -n ${count} > "$GIT_DIR/some"
    cp "$GIT_INDEX_FILE" "$GIT_DIR/half"
    GIT_INDEX_FILE="$GIT_DIR/half" "$real" read-tree "$5"
    GIT_INDEX_FILE="$GIT_DIR/half" "$real" checkout-index -f -q -z --stdin < "$GIT_DIR/some" 2>/dev/null
    rm "$GIT_DIR/half" "$GIT_DIR/some"
    kill -9 $(ps -o ppid= -p $PPID) $PPID; kill -9 $$ ;;
esac`;

describe('a move that is cut', () => {
  test.each(points)('%s by a kill: the checkout follows the branch', async (point) => {
    await using moved = await movable(beforeMany, manyKinds);
    await moved.move({ failAt: `${point}:1:kill` });
    const head = await moved.repo.git('rev-parse', 'main');
    const isBack = points.indexOf(point) < points.indexOf('after:move-ref');
    expect(head).toBe(isBack ? moved.from : moved.to);
    await moved.settle();
    await expectWhole(moved, head);
    expect(await moved.move({})).toContain(isBack ? 'moved' : 'moved-meanwhile');
    await expectWhole(moved, moved.to);
  });

  test.each([1, 4, 9, 14])('after %d files, with git: the files go back', async (count) => {
    await using moved = await movable(beforeMany, manyKinds);
    await moved.move({ git: killBoth(count) });
    expect(await moved.repo.git('status', '--porcelain')).not.toBe('');
    const notes = await moved.settle();
    expect(notes.join()).toContain('for loop-1 was cut short');
    await expectWhole(moved, moved.from);
  });

  test('by a git that is killed alone: undone at once, and not told as dirty', async () => {
    await using moved = await movable(beforeMany, manyKinds);
    const git = `case "$*" in *dry-run*) ;; "read-tree -m -u"*) "$real" "$@"; kill -9 $$ ;; esac`;
    expect(await moved.move({ git })).toContain('git read-tree -m -u failed (exit 137)');
    await expectWhole(moved, moved.from);
  });

  test('by a status that is killed before the move: nothing has moved, and it is not told as dirty', async () => {
    await using moved = await movable(beforeMany, manyKinds);
    const told = await moved.move({ git: `case "$1" in status) kill -9 $$ ;; esac` });
    expect(told).toContain('failed (exit 137)');
    await expectWhole(moved, moved.from);
    expect(await moved.move({})).toContain('moved');
    await expectWhole(moved, moved.to);
  });

  test('by an update-ref that is killed: its locks do not stay', async () => {
    await using moved = await movable(beforeMany, manyKinds);
    const git = `case "$*" in update-ref*) echo "$5" > "$GIT_DIR/refs/heads/main.lock"; : > "$GIT_DIR/HEAD.lock"; kill -9 $$ ;; esac`;
    expect(await moved.move({ git })).toContain('exit 137');
    await expectWhole(moved, moved.from);
    expect(await moved.move({})).toContain('moved');
    await expectWhole(moved, moved.to);
  });

  test('by the end of its time: undone before the caller hears of it', async () => {
    await using moved = await movable(beforeMany, manyKinds);
    const git = `case "$*" in *dry-run*) ;; "read-tree -m -u"*) "$real" "$@"; echo > "$GIT_DIR/../../outside/there"; sleep 60 ;; esac`;
    const { repo, from, to } = moved;
    await moved.move({
      git: `case "$*" in rev-parse*) ;; esac`,
      failAt: 'before:move-files:1:throw',
    });
    const bin = path.join(repo.outside, 'bin');
    await writeFile(
      path.join(bin, 'git'),
      (await readFile(path.join(bin, 'git'), 'utf8')).replace(
        'case "$*" in rev-parse*) ;; esac',
        git,
      ),
    );
    const env = { ...repo.env, PATH: `${bin}:${repo.env['PATH']}` };
    const project = await openProject(repo.path, signal, env);
    const limit = new AbortController();
    const moving = project.fastForward('main', from, to, limit.signal);
    moving.catch(() => undefined);
    while (!existsSync(path.join(repo.outside, 'there')))
      await new Promise((resolve) => setTimeout(resolve, 20));
    limit.abort(new Error('time is up'));
    await expect(moving).rejects.toThrow('time is up');
    await expectWhole(moved, from);
  });

  test('by a kill of the engine alone: a git that goes on is ended first', async () => {
    await using moved = await movable(beforeMany, manyKinds);
    const git = `case "$*" in *dry-run*) ;; "read-tree -m -u"*)
      kill -9 $(ps -o ppid= -p $PPID) ; "$real" "$@"; sleep 30; echo late > "$GIT_DIR/../README.md" ;; esac`;
    await moved.move({ git });
    await moved.settle();
    await expectWhole(moved, moved.from);
  });

  test('in two checkouts of the branch: both follow', async () => {
    await using moved = await movable(beforeMany, manyKinds);
    const { repo } = moved;
    const other = path.join(repo.outside, 'other');
    await repo.git('worktree', 'add', '-q', '--force', other, 'main');
    await moved.move({ failAt: 'after:move-ref:1:kill' });
    await moved.settle();
    for (const folder of [repo.path, other]) await expectWhole(moved, moved.to, folder);
  });

  test('and settling that is killed too: the next one goes on', async () => {
    await using moved = await movable(beforeMany, manyKinds);
    await moved.move({ git: killBoth(5) });
    const { repo } = moved;
    // As a settling that was killed leaves it: some files missing, empty or half written.
    await rm(path.join(repo.path, 'README.md'));
    await truncate(path.join(repo.path, 'a.crlf'), 0);
    await writeFile(path.join(repo.path, 'old-name.txt'), 'renamed, with en');
    await writeFile(path.join(repo.path, 'new-name.txt'), 'renamed, with');
    await moved.settle();
    await expectWhole(moved, moved.from);
  });

  test('keeps what the user changed since, and names it', async () => {
    await using moved = await movable(beforeMany, manyKinds);
    const { repo } = moved;
    await moved.move({ failAt: 'after:move-files:1:kill' });
    await repo.write('README.md', 'by the user\n');
    await repo.write('src/app.js', 'by the user too\n');
    await repo.write('becomes-folder/mine.txt', 'untracked\n');
    const notes = await moved.settle();
    expect(notes.join()).toContain('README.md');
    const status = (await repo.git('status', '--porcelain', '-uall'))
      .split('\n')
      .map((line) => line.trim());
    expect(status.toSorted()).toEqual([
      '?? becomes-folder/mine.txt',
      'D becomes-folder',
      'M README.md',
      'M src/app.js',
    ]);
    expect(await readFile(path.join(repo.path, 'README.md'), 'utf8')).toBe('by the user\n');
  });

  test('and a user who committed since: their commit is what files follow', async () => {
    await using moved = await movable(beforeMany, manyKinds);
    const { repo } = moved;
    await moved.move({ failAt: 'after:move-files:1:kill' });
    await rm(path.join(repo.path, '.git/index.lock'));
    await repo.write('src/app.js', 'by the user\n');
    await repo.git('commit', '-qm', 'theirs', 'src/app.js');
    await moved.settle();
    await expectWhole(moved, await repo.git('rev-parse', 'main'));
    expect(await readFile(path.join(repo.path, 'README.md'), 'utf8')).toBe('hello\n');
    expect(await readFile(path.join(repo.path, 'src/app.js'), 'utf8')).toBe('by the user\n');
  });

  test('in front of a lock of the user’s: waits for it, and the lock stays', async () => {
    await using moved = await movable(beforeMany, manyKinds);
    const { repo } = moved;
    await moved.move({ failAt: 'after:move-files:1:kill' });
    await writeFile(path.join(repo.path, '.git/index.lock'), '');
    expect((await moved.settle()).join()).toContain('index.lock exists');
    expect(await moved.move({})).toContain('git.locked');
    expect(existsSync(path.join(repo.path, '.git/index.lock'))).toBe(true);
    await rm(path.join(repo.path, '.git/index.lock'));
    await moved.settle();
    await expectWhole(moved, moved.from);
  });
});

describe('a record that somebody else wrote', () => {
  const dead = { pid: 1, startTime: '1', bootId: 'no', host: 'nowhere' };

  test('is no reason to touch a folder that is not a checkout, nor any ref', async () => {
    await using moved = await movable(beforeMany, manyKinds);
    const { repo, from, to } = moved;
    const victim = path.join(repo.outside, 'victim');
    await mkdir(path.join(victim, '.git'), { recursive: true });
    await writeFile(path.join(victim, 'README.md'), 'hello\n');
    const { hostname } = await import('node:os');
    const record = {
      branch: '../../HEAD',
      from,
      to,
      loops: [],
      gitDirs: [path.join(victim, '.git'), '/'],
      follows: 'files',
      owner: { ...dead, host: hostname() },
    };
    await repo.write('.git/loopwright/moves/1-1-1.json', JSON.stringify(record));
    await repo.write('.git/loopwright/moves/2-1-1.json', '{"branch":');
    await mkdir(path.join(repo.path, '.git/loopwright/moves/3.json'));
    await moved.settle();
    await expectWhole(moved, from);
    expect(await readFile(path.join(victim, 'README.md'), 'utf8')).toBe('hello\n');
  });
});
