import { chmod, copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { openProject } from '../../../src/adapters/git/open-project.ts';
import { digestFolder, writeFileIn } from '../../support/git-repo.ts';
import type { GitRepo } from '../../support/git-repo.ts';
import { loopHarness, loopSpec, signal } from './loop-harness.ts';
import type { LoopHarness } from './loop-harness.ts';

/** Every operation of the project and the workspace once, with an agent that changes, stages and commits. */
async function useEverything(loop: LoopHarness): Promise<void> {
  const { project, workspace, spec } = loop;
  const startTree = await workspace.snapshot(signal);
  const startHead = await workspace.head(signal);
  await loop.write('README.md', 'edited\n');
  await loop.write('filtered.txt', 'edited\n');
  await loop.write('added.txt', 'added\n');
  const tree = await workspace.snapshot(signal);
  await workspace.changes(startTree, tree, signal);
  await workspace.describe({ diffChars: 5000, logEntries: 10 }, signal);
  await workspace.writePatch(startTree, tree, path.join(loop.repo.outside, 'a.patch'), signal);
  await workspace.restore(startTree, ['README.md'], signal);
  await workspace.commit({ startTree, startHead, subject: 'one', trailers: [] }, signal);
  await project.openWorkspace(spec, signal);
  const onto = await project.resolve('moved', signal);
  const rebased = await workspace.rebase(onto ?? '', spec.base, signal);
  expect(rebased.kind).toBe('rebased');
  await workspace.diskUsage(signal);

  await project.describe(signal);
  const head = await workspace.head(signal);
  await project.checkpoints(spec.branch, spec.base, signal);
  await project.readAt(spec.branch, 'filtered.txt', 100, signal);
  await project.diffSummary(spec.base, spec.branch, signal);
  await project.writePatch(spec.base, spec.branch, path.join(loop.repo.outside, 'b.patch'), signal);
  await project.createBranch('copy', spec.base, signal);
  const moved = await project.fastForward('copy', spec.base, head ?? '', signal);
  expect(moved).toEqual({ kind: 'moved', checkedOut: false });
  await project.removeWorkspace(spec, signal);
  await project.openWorkspace(spec, signal);
  await project.removeWorkspace(spec, signal);
  await project.deleteBranch(spec.branch, signal);
}

/** A branch to rebase onto, and a file that attributes name. */
async function prepare(repo: GitRepo): Promise<void> {
  await repo.write('.gitattributes', '*.txt filter=evil diff=evil merge=evil\n');
  await repo.write('filtered.txt', 'original\n');
  await repo.commitAll('attributes');
  await repo.git('checkout', '--quiet', '-b', 'moved');
  await repo.write('moved.txt', 'moved\n');
  await repo.commitAll('moved');
  await repo.git('checkout', '--quiet', 'main');
}

describe('what the user owns', () => {
  test('checkout, index, refs, config and hooks are the same bytes after every operation', async () => {
    await using loop = await loopHarness(async (repo) => {
      await prepare(repo);
      await repo.git('config', 'remote.origin.url', 'nowhere');
      await repo.write('staged.txt', 'staged\n');
      await repo.git('add', 'staged.txt');
      await repo.write('README.md', 'unstaged\n');
      await repo.write('untracked.txt', 'untracked\n');
      await repo.git('stash', 'store', '-m', 'mine', await repo.git('stash', 'create'));
    });
    await loop.project.removeWorkspace(loop.spec, signal);
    await loop.project.deleteBranch(loop.spec.branch, signal);
    const digest = async () => ({
      files: await digestFolder(loop.repo.path, ['.git', '.loopwright']),
      config: await digestFolder(path.join(loop.repo.path, '.git'), ['objects', 'refs', 'logs']),
      refs: await loop.repo.git('for-each-ref'),
      head: await loop.repo.git('rev-parse', '--symbolic-full-name', 'HEAD'),
      home: await digestFolder(loop.repo.env['HOME'] ?? ''),
      state: await readdir(path.join(loop.repo.path, '.loopwright')),
    });
    const before = await digest();
    const { workspace } = await loop.project.openWorkspace(loop.spec, signal);
    await useEverything({ ...loop, workspace });
    await loop.repo.git('update-ref', '-d', 'refs/heads/copy');
    expect(await digest()).toEqual(before);
  });
});

const canaryOf = (repo: GitRepo) => path.join(repo.outside, 'canary');

/** A program that leaves its name in the canary. */
async function evilProgram(repo: GitRepo, name: string): Promise<string> {
  const file = path.join(repo.outside, `evil-${name.replaceAll('/', '-')}`);
  await writeFile(file, `#!/bin/sh\necho ${name} >> ${canaryOf(repo)}\n`);
  await chmod(file, 0o755);
  return file;
}

async function plantConfig(repo: GitRepo, config: string[]): Promise<void> {
  const programs = [
    'core.fsmonitor',
    'core.editor',
    'core.pager',
    'core.sshCommand',
    'core.askPass',
    'core.alternateRefsCommand',
    'sequence.editor',
    'gpg.program',
    'gpg.ssh.program',
    'diff.external',
    'diff.evil.command',
    'diff.evil.textconv',
    'filter.evil.clean',
    'filter.evil.smudge',
    'filter.evil.process',
    'merge.evil.driver',
    'credential.helper',
    'alias.status',
    'alias.diff-tree',
    'hook.evil.command',
  ];
  for (const key of programs) await repo.git(...config, key, await evilProgram(repo, key));
  const settings = [
    ['commit.gpgSign', 'true'],
    ['log.showSignature', 'true'],
    ['filter.evil.required', 'true'],
    ['hook.evil.event', 'reference-transaction'],
    ['protocol.allow', 'always'],
    ['submodule.recurse', 'true'],
    ['status.submoduleSummary', 'true'],
    ['diff.submodule', 'diff'],
    ['core.hooksPath', path.join(repo.outside, 'hooks')],
  ];
  for (const [key = '', value = ''] of settings) await repo.git(...config, key, value);
}

async function plantHooks(repo: GitRepo, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const hooks = [
    'pre-commit',
    'prepare-commit-msg',
    'commit-msg',
    'post-commit',
    'post-checkout',
    'post-merge',
    'post-rewrite',
    'pre-rebase',
    'pre-merge-commit',
    'post-index-change',
    'reference-transaction',
    'fsmonitor-watchman',
    'pre-auto-gc',
  ];
  for (const hook of hooks) {
    await copyFile(await evilProgram(repo, `hook/${hook}`), path.join(folder, hook));
  }
}

const fired = (loop: LoopHarness) => readFile(canaryOf(loop.repo), 'utf8').catch(() => '');

describe('what an agent plants in the repository', () => {
  test('the plants do fire for git as an agent runs it', async () => {
    await using loop = await loopHarness(prepare);
    await plantConfig(loop.repo, ['config']);
    await plantHooks(loop.repo, path.join(loop.repo.outside, 'hooks'));
    await loop.repo.git('config', '--unset', 'filter.evil.process');
    await loop.repo.git('config', 'filter.evil.required', 'false');
    await loop.write('filtered.txt', 'edited\n');
    await loop.agent('diff').catch(() => undefined);
    await loop.agent('commit', '-qam', 'x').catch(() => undefined);
    const names = new Set((await fired(loop)).trim().split('\n'));
    const expected = [
      'core.fsmonitor',
      'filter.evil.clean',
      'diff.evil.command',
      'hook/pre-commit',
      'gpg.program',
    ];
    expect([...names]).toEqual(expect.arrayContaining(expected));
  });

  test.each([
    ['the repository’s config', plantConfig, ['config']],
    ['an included file', plantConfig, ['config', '--file', 'included']],
  ] as const)('programs and hooks in %s never run', async (what, plant, config) => {
    await using loop = await loopHarness(prepare);
    await plant(loop.repo, [...config]);
    if (what === 'an included file') {
      await loop.repo.git('config', 'include.path', path.join(loop.repo.path, 'included'));
    }
    await plantHooks(loop.repo, path.join(loop.repo.outside, 'hooks'));
    await plantHooks(loop.repo, path.join(loop.repo.path, '.git/hooks'));
    await useEverything(loop);
    expect(await fired(loop)).toBe('');
  });

  test('a config of the worktree alone never runs anything', async () => {
    await using loop = await loopHarness(async (repo) => {
      await prepare(repo);
      await repo.git('config', 'extensions.worktreeConfig', 'true');
    });
    const file = path.join(loop.repo.path, '.git/worktrees/loop-1/config.worktree');
    await plantConfig(loop.repo, ['config', '--file', file]);
    await useEverything(loop);
    expect(await fired(loop)).toBe('');
  });

  test('a .git swapped for a repository of the agent’s is not followed', async () => {
    await using loop = await loopHarness(prepare);
    await rm(path.join(loop.workspace.path, '.git'));
    await loop.repo.gitIn(loop.workspace.path, 'init', '--quiet');
    const file = path.join(loop.workspace.path, '.git/config');
    await plantConfig(loop.repo, ['config', '--file', file]);
    await plantHooks(loop.repo, path.join(loop.workspace.path, '.git/hooks'));
    await useEverything(loop);
    expect(await fired(loop)).toBe('');
  });

  test('a repository or submodule inside the worktree runs nothing', async () => {
    await using loop = await loopHarness(prepare);
    const allow = ['-c', 'protocol.file.allow=always'];
    await loop.agent(...allow, 'submodule', '--quiet', 'add', loop.repo.path, 'sub');
    await loop.agent('commit', '--quiet', '-m', 'submodule');
    for (const folder of ['sub', 'inner']) {
      await mkdir(path.join(loop.workspace.path, folder), { recursive: true });
      const nested = path.join(loop.workspace.path, folder);
      if (folder === 'inner') await loop.repo.gitIn(nested, 'init', '--quiet');
      await writeFileIn(nested, '.gitattributes', '*.txt filter=evil diff=evil\n');
      await writeFileIn(nested, 'filtered.txt', 'edited inside\n');
      const config = await loop.repo.gitIn(
        nested,
        'rev-parse',
        '--path-format=absolute',
        '--git-path',
        'config',
      );
      await plantConfig(loop.repo, ['config', '--file', config]);
    }
    await useEverything(loop);
    expect(await fired(loop)).toBe('');
  });

  test('a driver whose name cannot be overridden is refused', async () => {
    await using loop = await loopHarness(prepare);
    const file = path.join(loop.repo.path, '.git/config');
    const section = Buffer.concat([
      Buffer.from('[filter "'),
      Buffer.from([0xff]),
      Buffer.from(`"]\n\tclean = ${await evilProgram(loop.repo, 'bytes')}\n`),
    ]);
    await writeFile(file, Buffer.concat([await readFile(file), section]));
    const refused = { code: 'git.unsafe_config', hint: expect.any(String) };
    await expect(loop.workspace.snapshot(signal)).rejects.toMatchObject(refused);
  });

  test('a driver whose name holds an equals sign is overridden like any other', async () => {
    await using loop = await loopHarness(prepare);
    await writeFile(path.join(loop.workspace.path, '.gitattributes'), '*.txt filter=a=b\n');
    const program = await evilProgram(loop.repo, 'equals');
    const file = path.join(loop.repo.path, '.git/config');
    const config = await readFile(file, 'utf8');
    await writeFile(file, `${config}[filter "a=b"]\n\tclean = ${program}\n\trequired = true\n`);
    await loop.write('filtered.txt', 'edited\n');
    await loop.workspace.snapshot(signal);
    expect(await fired(loop)).toBe('');
  });

  test('a replaced object does not change what the engine sees', async () => {
    await using loop = await loopHarness();
    const evil = path.join(loop.repo.outside, 'evil.txt');
    await writeFile(evil, 'evil\n');
    const blob = await loop.repo.git('hash-object', '-w', evil);
    const original = await loop.repo.git('rev-parse', 'HEAD:README.md');
    await loop.repo.git('replace', original, blob);
    expect(await loop.project.readAt('HEAD', 'README.md', 100, signal)).toBe('hello\n');
  });
});

describe('the user’s own configuration', () => {
  test('global hooks, filters and signing do not run for loops, and ignore rules still apply', async () => {
    await using loop = await loopHarness(prepare);
    const canary = path.join(loop.repo.outside, 'canary');
    const home = loop.repo.env['HOME'] ?? '';
    const program = path.join(loop.repo.outside, 'program');
    await writeFile(program, `#!/bin/sh\ntouch ${canary}\ncat\n`);
    await chmod(program, 0o755);
    const set = (...args: readonly string[]) => loop.repo.git('config', '--global', ...args);
    await set('filter.evil.clean', program);
    await set('core.fsmonitor', program);
    await set('commit.gpgSign', 'true');
    await set('core.excludesFile', '~/ignored');
    await writeFile(path.join(home, 'ignored'), 'secret.env\n');
    const project = await openProject(loop.repo.path, signal, loop.repo.env);
    const { workspace } = await project.openWorkspace(await loopSpec(loop.repo, 'loop-2'), signal);
    const before = await workspace.snapshot(signal);
    await writeFileIn(workspace.path, 'secret.env', 'KEY=1\n');
    expect(await workspace.snapshot(signal)).toBe(before);
    await writeFileIn(workspace.path, 'filtered.txt', 'edited\n');
    const startHead = await workspace.head(signal);
    await workspace.commit({ startTree: before, startHead, subject: 'x', trailers: [] }, signal);
    await expect(readFile(canary)).rejects.toThrow('ENOENT');
  });
});
