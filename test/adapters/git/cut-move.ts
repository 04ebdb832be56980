import { execFile } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { existsSync } from 'node:fs';
import { openProject } from '../../../src/adapters/git/open-project.ts';
import { gitRepo, type GitRepo } from '../../support/git-repo.ts';

const program = path.resolve(import.meta.dirname, '../../reliability/programs/move-branch.ts');
export const { signal } = new AbortController();

/** A repository on `main`, and a commit that `main` can be moved to. */
export type Movable = AsyncDisposable & {
  readonly repo: GitRepo;
  readonly from: string;
  readonly to: string;
  /** Moves `main` in a process of its own, which ends at a failpoint or with its git. Answers what it printed. */
  move(how: { readonly failAt?: string; readonly git?: string }): Promise<string>;
  /** As the next start does. */
  settle(): Promise<readonly string[]>;
};

export async function movable(
  before: (repo: GitRepo) => Promise<unknown>,
  change: (repo: GitRepo) => Promise<unknown>,
): Promise<Movable> {
  const repo = await gitRepo();
  await before(repo);
  const from = await repo.commitAll('before');
  await repo.git('switch', '-qc', 'work');
  await change(repo);
  const to = await repo.commitAll('work');
  await repo.git('switch', '-q', 'main');
  return {
    repo,
    from,
    to,
    async move({ failAt, git }) {
      const env = git === undefined ? repo.env : await withGit(repo, git);
      const args = [program, 'main', from, to, ...(failAt === undefined ? [] : [failAt])];
      return new Promise((resolve) => {
        execFile(process.execPath, args, { cwd: repo.path, env }, (_error, out, err) =>
          resolve(out + err),
        );
      });
    },
    async settle() {
      const project = await openProject(repo.path, signal, repo.env);
      return project.hasCutMoves() ? project.settleMoves(signal) : [];
    },
    [Symbol.asyncDispose]: () => repo[Symbol.asyncDispose](),
  };
}

/** A `git` that runs these lines first; `$real` is the real one. */
async function withGit(repo: GitRepo, lines: string): Promise<Readonly<Record<string, string>>> {
  const folder = path.join(repo.outside, 'bin');
  const real = (repo.env['PATH'] ?? '')
    .split(':')
    .map((each) => path.join(each, 'git'))
    .find((file) => existsSync(file));
  await mkdir(folder, { recursive: true });
  await writeFile(
    path.join(folder, 'git'),
    `#!/bin/sh\nreal='${real}'\n${lines}\nexec "$real" "$@"\n`,
  );
  await chmod(path.join(folder, 'git'), 0o755);
  return { ...repo.env, PATH: `${folder}:${repo.env['PATH']}` };
}
