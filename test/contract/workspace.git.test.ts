import path from 'node:path';
import { openProject } from '../../src/adapters/git/open-project.ts';
import { gitRepo } from '../support/git-repo.ts';
import { workspaceContract } from './workspace.suite.ts';
import type { WorkspaceHarness } from './workspace.suite.ts';

const { signal } = new AbortController();

async function harness(mode: 'worktree' | 'in-place'): Promise<WorkspaceHarness> {
  const repo = await gitRepo();
  const project = await openProject(repo.path, signal, repo.env);
  const base = await repo.git('rev-parse', 'HEAD');
  const worktree = path.join(repo.path, '.loopwright/worktrees/loop-1');
  const spec = {
    loopId: 'loop-1',
    mode,
    path: mode === 'worktree' ? worktree : repo.path,
    branch: mode === 'worktree' ? 'loopwright/loop-1' : 'main',
    base,
    copy: [],
    link: [],
  };
  return {
    project,
    spec,
    outside: repo.outside,
    [Symbol.asyncDispose]: () => repo[Symbol.asyncDispose](),
  };
}

workspaceContract('a workspace in a worktree', () => harness('worktree'));
workspaceContract('a workspace in the user’s checkout', () => harness('in-place'));
