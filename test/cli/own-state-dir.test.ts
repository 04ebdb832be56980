import { mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ownStateDir } from '../../src/cli/own-state-dir.ts';
import { gitRepo } from '../support/git-repo.ts';
import { tempDir } from '../support/temp-dir.ts';
import type { RegistryEntry } from '../../src/cli/registry/entry.ts';
import { memoryCli } from './memory-cli.ts';

/** A mistake of the program itself: only such errors are logged. */
const failing: RegistryEntry = {
  path: ['fail'],
  summary: 'Fails.',
  group: 'Test',
  load: async () => ({
    path: ['fail'],
    summary: 'Fails.',
    examples: [],
    run: () => Promise.reject(new Error('on purpose')),
  }),
};

const at = (cwd: string) => ownStateDir({ cwd, env: {} });

describe('the state folder of a project', () => {
  it('is that of the git repository, never one above it', async () => {
    await using repo = await gitRepo();
    const above = path.join(path.dirname(repo.path), '.loopwright');
    await mkdir(above);
    const deep = path.join(repo.path, 'src/deep');
    await mkdir(deep, { recursive: true });
    expect([at(repo.path), at(deep)]).toEqual([null, null]);
    const own = path.join(repo.path, '.loopwright');
    await mkdir(own);
    await symlink(deep, path.join(repo.outside, 'link'));
    expect([at(repo.path), at(deep), at(path.join(repo.outside, 'link'))]).toEqual([own, own, own]);
    expect(at(path.dirname(repo.path))).toBe(above);
  });

  it('is that of a linked worktree, and for a person in the worktree of a loop that of the project', async () => {
    await using repo = await gitRepo();
    await mkdir(path.join(repo.path, '.loopwright'));
    const linked = path.join(repo.path, 'linked');
    await repo.git('worktree', 'add', '--quiet', linked);
    expect(at(linked)).toBeNull();
    const worktree = path.join(repo.path, '.loopwright/worktrees/loop-12345678');
    await repo.git('worktree', 'add', '--quiet', worktree);
    expect(at(worktree)).toBe(path.join(repo.path, '.loopwright'));
  });

  it('is outside of git that of the folder itself', async () => {
    await using dir = await tempDir();
    await mkdir(path.join(dir.path, '.loopwright'));
    const below = path.join(dir.path, 'below');
    await mkdir(below);
    expect([at(dir.path), at(below)]).toEqual([path.join(dir.path, '.loopwright'), null]);
  });

  it('gets the error log, and one above the repository does not', async () => {
    await using repo = await gitRepo();
    const above = path.join(path.dirname(repo.path), '.loopwright');
    await mkdir(above);
    const cli = memoryCli({ cwd: repo.path, env: repo.env, registry: [failing] });
    const logOf = async () => /details are in (\S+);/.exec((await cli.run('fail')).err)?.[1] ?? '';
    const first = await logOf();
    expect(path.dirname(first)).toBe(tmpdir());
    await rm(first);
    expect(await readdir(above)).toEqual([]);
    await mkdir(path.join(repo.path, '.loopwright'));
    expect(path.dirname(await logOf())).toBe(path.join(repo.path, '.loopwright/log'));
  });
});
