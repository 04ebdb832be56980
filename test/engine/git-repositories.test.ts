import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { mergeLoop } from '../../src/engine/merge-loop.ts';
import { startSession } from '../../src/engine/session.ts';
import { digestFolder, digestUser, emptyRepo, gitRepo } from '../support/git-repo.ts';
import type { GitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';
import type { TestProject } from '../support/opened-project.ts';

const work = {
  agent: 'command:echo "$LOOPWRIGHT_ITERATION" >> work.txt',
  validate: 'test "$(wc -l < work.txt)" -ge 2',
};

async function merge(project: TestProject, loopId: string) {
  const session = await startSession(project.engine, 'command');
  return mergeLoop(project.engine, session, loopId);
}

/** A repository of an unusual kind, ready with its first commit. */
const kinds: readonly (readonly [string, () => Promise<GitRepo>])[] = [
  [
    'whose branch is not called main',
    async () => {
      const repo = await gitRepo();
      await repo.git('branch', '-m', 'trunk');
      return repo;
    },
  ],
  [
    'with a detached HEAD',
    async () => {
      const repo = await gitRepo();
      await repo.git('checkout', '-q', '--detach');
      return repo;
    },
  ],
  [
    'with SHA-256 objects',
    async () => {
      const repo = await emptyRepo('--object-format=sha256');
      await repo.write('README.md', 'hello\n');
      await repo.commitAll('first');
      return repo;
    },
  ],
  [
    'that is a shallow clone',
    async () => {
      const repo = await gitRepo();
      await repo.write('README.md', 'second\n');
      await repo.commitAll('second');
      const deep = path.join(repo.outside, 'deep');
      await repo.gitIn(repo.outside, 'clone', '-q', '--bare', repo.path, deep);
      await repo.git('fetch', '-q', '--depth=1', '--update-shallow', `file://${deep}`, 'main');
      await repo.git('checkout', '-q', '-B', 'main', 'FETCH_HEAD');
      await repo.git('reflog', 'expire', '--all', '--expire=now');
      await repo.git('gc', '-q', '--prune=now');
      expect(await repo.git('rev-parse', '--is-shallow-repository')).toBe('true');
      return repo;
    },
  ],
  [
    'with a submodule',
    async () => {
      const repo = await gitRepo();
      const library = path.join(repo.outside, 'library');
      await repo.gitIn(repo.outside, 'clone', '-q', repo.path, library);
      const allow = ['-c', 'protocol.file.allow=always'];
      await repo.git(...allow, 'submodule', '--quiet', 'add', library, 'lib');
      await repo.commitAll('submodule');
      return repo;
    },
  ],
  [
    'with files of git-lfs, which is not installed',
    async () => {
      const repo = await gitRepo();
      await repo.write('.gitattributes', '*.bin filter=lfs diff=lfs merge=lfs -text\n');
      await repo.write('data.bin', 'version https://git-lfs.github.com/spec/v1\nsize 1\n');
      await repo.commitAll('pointer');
      for (const [key, value] of [
        ['clean', 'git-lfs clean -- %f'],
        ['smudge', 'git-lfs smudge -- %f'],
        ['process', 'git-lfs filter-process'],
        ['required', 'true'],
      ] as const)
        await repo.git('config', `filter.lfs.${key}`, value);
      return repo;
    },
  ],
  [
    'with a sparse checkout',
    async () => {
      const repo = await gitRepo();
      await repo.write('other/big.txt', 'big\n');
      await repo.commitAll('other');
      await repo.git('sparse-checkout', 'set', 'src');
      return repo;
    },
  ],
  [
    'in the middle of a conflicted merge, with staged and untracked files',
    async () => {
      const repo = await gitRepo();
      await repo.git('checkout', '-q', '-b', 'side');
      await repo.write('README.md', 'side\n');
      await repo.commitAll('side');
      await repo.git('checkout', '-q', 'main');
      await repo.write('README.md', 'main\n');
      await repo.commitAll('main');
      await repo.git('merge', '-q', 'side').catch(() => undefined);
      await repo.write('staged.txt', 'staged\n');
      await repo.git('add', 'staged.txt');
      await repo.write('untracked.txt', 'untracked\n');
      return repo;
    },
  ],
  [
    'whose own locks are held',
    async () => {
      const repo = await gitRepo();
      for (const lock of ['index.lock', 'packed-refs.lock', 'config.lock', 'refs/heads/main.lock'])
        await repo.write(`.git/${lock}`, '');
      return repo;
    },
  ],
  [
    'with a damaged index',
    async () => {
      const repo = await gitRepo();
      await repo.write('.git/index', 'garbage');
      return repo;
    },
  ],
  [
    'with hooks that wait, signing, pagers and editors',
    async () => {
      const repo = await gitRepo();
      for (const hook of ['pre-commit', 'post-commit', 'reference-transaction', 'post-checkout']) {
        await repo.write(`.git/hooks/${hook}`, '#!/bin/sh\nexec sleep 300\n');
        await chmod(path.join(repo.path, '.git/hooks', hook), 0o755);
      }
      const waits = 'sh -c "exec sleep 300"';
      for (const key of ['core.pager', 'core.editor', 'gpg.program', 'core.fsmonitor']) {
        await repo.git('config', '--global', key, waits);
      }
      await repo.git('config', '--global', 'commit.gpgSign', 'true');
      await repo.git('config', '--global', 'pager.status', 'true');
      return repo;
    },
  ],
  [
    'with many variables of git in the environment',
    async () => {
      const repo = await gitRepo();
      const env = {
        ...repo.env,
        GIT_DIR: '/nonexistent',
        GIT_WORK_TREE: '/nonexistent',
        GIT_INDEX_FILE: '/nonexistent/index',
        GIT_OBJECT_DIRECTORY: '/nonexistent/objects',
        GIT_COMMON_DIR: '/nonexistent',
        GIT_NAMESPACE: 'other',
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: 'core.bare',
        GIT_CONFIG_VALUE_0: 'true',
        GIT_EXTERNAL_DIFF: '/nonexistent/diff',
        GIT_EDITOR: 'sleep 300',
        GIT_PAGER: 'sleep 300',
        GIT_TRACE: '1',
        GIT_LITERAL_PATHSPECS: '0',
        GIT_DEFAULT_HASH: 'sha256',
      };
      return { ...repo, env, [Symbol.asyncDispose]: () => repo[Symbol.asyncDispose]() };
    },
  ],
];

describe('a repository', () => {
  it.each(kinds)('%s is worked in, and is the same bytes afterwards (I6)', async (_, make) => {
    await using repo = await make();
    const before = await digestUser(repo);
    await using project = await openedProject(repo, work);
    const loop = await project.runText('work');
    expect(loop.status).toBe('complete');
    expect(loop.warnings.filter((text) => !text.includes('content filter'))).toEqual([]);
    expect(await digestUser(repo)).toEqual(before);
    const files = await repo.git('diff', '--name-only', loop.workspace.base ?? '', loop.head ?? '');
    expect(files).toBe('work.txt');
  });
});

const run = promisify(execFile);

describe('a repository that cannot be worked in', () => {
  it('has no commit: refused before anything is spent', async () => {
    await using repo = await emptyRepo();
    await using project = await openedProject(repo, work);
    const refused = { code: 'git.no_base', hint: expect.stringContaining('first commit') };
    await expect(project.runText('unborn')).rejects.toMatchObject(refused);
    expect(await project.engine.store.read((tx) => tx.loops.list({}))).toEqual([]);
  });

  it('is bare: refused before anything is spent', async () => {
    await using repo = await gitRepo();
    const bare = path.join(repo.outside, 'bare.git');
    await run('git', ['clone', '-q', '--bare', repo.path, bare]);
    await using project = await openedProject({ path: bare, env: repo.env }, work);
    await expect(project.runText('bare')).rejects.toMatchObject({ code: 'git.bare' });
  });

  it('has a branch called loopwright: refused, and says which name is in the way', async () => {
    await using repo = await gitRepo();
    await repo.git('branch', 'loopwright');
    await using project = await openedProject(repo, work);
    const refused = { code: 'git.branch_name_taken', hint: expect.stringContaining('rename') };
    await expect(project.runText('name taken')).rejects.toMatchObject(refused);
  });
});

describe('files with unusual names', () => {
  it('are committed, restored and shown as they are', async () => {
    await using repo = await gitRepo();
    const names = [
      String.raw`"$(printf 'new\nline')"`,
      '-rf',
      String.raw`"$(printf 'bytes-\377\376')"`,
      'Case',
      'case',
      "' space '",
      `"$(printf 'tab\\t')"`,
      "':(glob)*'",
      `"$(printf 'é%.0s' $(seq 100))"`,
      `'"quoted"'`,
      "'back\\slash'",
    ];
    const agent = `command:${work.agent.slice('command:'.length)}; for f in ${names.join(' ')}; do echo "$LOOPWRIGHT_ITERATION" > "./$f"; done`;
    await using project = await openedProject(repo, { ...work, agent });
    const loop = await project.runText('names');
    expect(loop.status).toBe('complete');
    const listed = await run(
      'git',
      ['ls-tree', '-rz', '--name-only', loop.workspace.branch ?? ''],
      {
        cwd: repo.path,
        env: repo.env,
        encoding: 'buffer',
      },
    );
    const stored = listed.stdout
      .toString('latin1')
      .split('\0')
      .filter((name) => name !== '');
    // Beside README.md, src/app.js and work.txt.
    expect(stored).toHaveLength(names.length + 3);
    expect(stored).toContain('bytes-\xff\xfe');
    expect(loop.iterations[1]?.changes?.modified).toHaveLength(names.length + 1);
    await merge(project, loop.id);
    expect(await readFile(path.join(repo.path, 'new\nline'), 'utf8')).toBe('2\n');
    expect(await repo.git('status', '--porcelain')).toBe('');
  });

  it('are left out and named when they are too large to commit', async () => {
    await using repo = await gitRepo();
    const agent = `${work.agent}; truncate -s 2G huge.bin`;
    const flags = { ...work, agent, 'max-iterations': 3 };
    await using project = await openedProject(repo, flags);
    const loop = await project.runText('huge');
    // What the checks saw is not what is committed.
    expect(loop.status).toBe('failed');
    expect(loop.text).toContain('huge.bin (is over 256 MB)');
    expect(await repo.git('ls-tree', '-r', '--name-only', loop.workspace.branch ?? '')).toBe(
      'README.md\nsrc/app.js\nwork.txt',
    );
  });

  // Permissions mean nothing to root.
  it.skipIf(process.getuid?.() === 0)(
    'in folders without permissions are named, and keep the loop from completing',
    async () => {
      await using repo = await gitRepo();
      const agent = `${work.agent}; mkdir -p locked; echo x > locked/file; chmod 000 locked src`;
      const flags = { ...work, agent, 'max-iterations': 3 };
      await using project = await openedProject(repo, flags);
      const loop = await project.runText('locked');
      for (const name of ['locked', 'src'])
        await chmod(path.join(loop.workspace.path, name), 0o700);
      expect(loop.status).toBe('failed');
      expect(loop.text).toContain('locked');
      const files = await repo.git('ls-tree', '-r', '--name-only', loop.workspace.branch ?? '');
      // What is tracked stays, what is new cannot be seen.
      expect(files).toBe('README.md\nsrc/app.js\nwork.txt');
    },
  );
});

/** As git-lfs works: what is stored is not what is in the checkout. */
async function filteredRepo() {
  const repo = await gitRepo();
  await repo.git('config', '--global', 'filter.lfs.clean', 'sed s/content/pointer/');
  await repo.git('config', '--global', 'filter.lfs.smudge', 'sed s/pointer/content/');
  await repo.write('.gitattributes', '*.bin filter=lfs -text\n');
  await repo.write('data.bin', 'content 1\n');
  await repo.commitAll('filtered');
  return repo;
}

describe('a repository with content filters', () => {
  it('is told of before anything is spent, and merged where no such file changes', async () => {
    await using repo = await filteredRepo();
    // Other stat data, the same content: git has to ask the filter whether it changed.
    await repo.write('data.bin', 'content 1\n');
    await utimes(path.join(repo.path, 'data.bin'), 1, 1);
    await using project = await openedProject(repo, work);
    const loop = await project.runText('beside');
    expect(loop).toMatchObject({ status: 'complete' });
    expect(loop.warnings).toEqual([expect.stringContaining('the content filter lfs is not run')]);
    const events = await project.engine.store.read((tx) => tx.loops.events(loop.id, 0, 1000));
    const types = events.map(({ event }) => event.type);
    expect(types.indexOf('warning.raised')).toBeLessThan(types.indexOf('agent.started'));
    await merge(project, loop.id);
    expect(await readFile(path.join(repo.path, 'data.bin'), 'utf8')).toBe('content 1\n');
    expect(await repo.git('status', '--porcelain')).toBe('');
  });

  it('never gets a file that should have gone through one', async () => {
    await using repo = await filteredRepo();
    const agent = `${work.agent}; echo "content 2" > data.bin; echo "content 3" > new.bin`;
    await using project = await openedProject(repo, { ...work, agent, 'max-iterations': 3 });
    const loop = await project.runText('raw');
    expect(loop.status).toBe('failed');
    expect(loop.text).toContain('data.bin (goes through the content filter lfs');
    const branch = loop.workspace.branch ?? '';
    expect(await repo.git('show', `${branch}:data.bin`)).toBe('pointer 1');
    expect(await repo.git('ls-tree', '--name-only', branch)).not.toContain('new.bin');
  });
});

async function withSubmodule() {
  const repo = await gitRepo();
  const library = path.join(repo.outside, 'library');
  await repo.gitIn(repo.outside, 'clone', '-q', repo.path, library);
  const allow = ['-c', 'protocol.file.allow=always'];
  await repo.git(...allow, 'submodule', '--quiet', 'add', library, 'lib');
  await repo.commitAll('submodule');
  // Nothing can be fetched.
  await rm(library, { recursive: true });
  return repo;
}

describe('a repository with submodules', () => {
  it('has their files in the worktree, from what is there already', async () => {
    await using repo = await withSubmodule();
    const validate = `${work.validate} && cmp lib/README.md README.md && git -C lib status --porcelain`;
    await using project = await openedProject(repo, { ...work, validate });
    const loop = await project.runText('filled');
    expect(loop).toMatchObject({ status: 'complete', warnings: [] });
    await merge(project, loop.id);
    expect(await repo.git('status', '--porcelain')).toBe('');
    expect(await repo.git('submodule', 'status')).toMatch(/^[0-9a-f]+ lib/);
  });

  it('is told of when they are not there', async () => {
    await using repo = await withSubmodule();
    await repo.git('submodule', '--quiet', 'deinit', '-f', 'lib');
    await rm(path.join(repo.path, '.git/modules'), { recursive: true });
    await using project = await openedProject(repo, work);
    const loop = await project.runText('empty');
    expect(loop.status).toBe('complete');
    expect(loop.warnings).toEqual([expect.stringContaining('the submodule lib is empty')]);
  });

  it.each([
    ['edited', 'echo x >> lib/README.md'],
    ['added to', 'echo x > lib/new.txt'],
    ['committed to', 'cd lib; echo x > new.txt; git add .; git commit -qm x; cd ..'],
  ])('does not complete on one that was %s: nobody would find that again', async (_, misdeed) => {
    await using repo = await withSubmodule();
    const agent = `${work.agent}; ${misdeed}`;
    await using project = await openedProject(repo, { ...work, agent, 'max-iterations': 3 });
    const loop = await project.runText('inside');
    expect(loop.status).toBe('failed');
    expect(loop.text).toContain('lib (is a submodule');
  });
});

describe('a checkout that is itself a linked worktree', () => {
  it('is worked beside and left alone', async () => {
    await using repo = await gitRepo();
    const linked = path.join(repo.outside, 'linked');
    await repo.git('worktree', 'add', '-q', '-b', 'mine', linked);
    await mkdir(path.join(linked, 'folder'));
    await writeFile(path.join(linked, 'dirty.txt'), 'dirty');
    await symlink('dirty.txt', path.join(linked, 'link'));
    const before = await digestFolder(linked, ['.loopwright']);
    const flags = { ...work, sandbox: 'worktree' };
    await using project = await openedProject({ path: linked, env: repo.env }, flags);
    const loop = await project.runText('linked');
    expect(loop).toMatchObject({ status: 'complete', warnings: [] });
    expect(loop.workspace.baseRef).toBe('mine');
    expect(await digestFolder(linked, ['.loopwright'])).toBe(before);
  });
});
