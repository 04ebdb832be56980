import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { openProject } from '../../../src/adapters/git/open-project.ts';
import type { OpenedWorkspace, Project, Workspace } from '../../../src/ports/workspace.ts';
import { gitRepo, writeFileIn } from '../../support/git-repo.ts';
import type { GitRepo } from '../../support/git-repo.ts';
import { loopSpecAt, type LoopSpec } from '../../support/loop-spec.ts';

export const { signal } = new AbortController();

/** A repository, its project, and one loop's worktree in it. */
export type LoopHarness = AsyncDisposable & {
  readonly repo: GitRepo;
  readonly project: Project;
  readonly spec: LoopSpec;
  readonly opened: OpenedWorkspace;
  readonly workspace: Workspace;
  /** git as the agent runs it in its worktree. */
  agent(...args: readonly string[]): Promise<string>;
  write(file: string, content: string): Promise<void>;
  read(file: string): Promise<string>;
  /** One iteration: start snapshot, what the agent does, commit. */
  iterate(act: () => Promise<unknown>): ReturnType<Workspace['commit']>;
};

export async function loopHarness(
  prepare: (repo: GitRepo) => Promise<unknown> = async () => undefined,
  overrides: Partial<LoopSpec> = {},
  existing?: GitRepo,
): Promise<LoopHarness> {
  const repo = existing ?? (await gitRepo());
  await prepare(repo);
  const project = await openProject(repo.path, signal, repo.env);
  const spec = { ...(await loopSpec(repo)), ...overrides };
  const opened = await project.openWorkspace(spec, signal);
  const { workspace } = opened;
  let iteration = 0;
  return {
    repo,
    project,
    spec,
    opened,
    workspace,
    agent: (...args) => repo.gitIn(workspace.path, ...args),
    write: (file, content) => writeFileIn(workspace.path, file, content),
    read: (file) => readFile(path.join(workspace.path, file), 'utf8'),
    async iterate(act) {
      iteration += 1;
      const startTree = await workspace.snapshot(signal);
      const startHead = await workspace.head(signal);
      await act();
      const trailers = [
        ['Loopwright-Loop', 'loop-1'],
        ['Loopwright-Iteration', String(iteration)],
      ] as const;
      return workspace.commit(
        { startTree, startHead, subject: `Iteration ${iteration}`, trailers },
        signal,
      );
    },
    [Symbol.asyncDispose]: () => repo[Symbol.asyncDispose](),
  };
}

export async function loopSpec(repo: GitRepo, loopId = 'loop-1'): Promise<LoopSpec> {
  return loopSpecAt(repo.path, await repo.git('rev-parse', 'HEAD'), loopId);
}
