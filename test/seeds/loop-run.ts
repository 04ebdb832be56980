import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FlagValues } from '../../src/core/config/flags.ts';
import type { Loop } from '../../src/core/loop/loop.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { openedProject, type TestProject } from '../support/opened-project.ts';

/** The prompt that an iteration of a loop was given. */
export function promptOf({ engine }: TestProject, { id }: Loop, number: number): Promise<string> {
  const name = `iterations/${String(number).padStart(3, '0')}/prompt.md`;
  return readFile(path.join(engine.artifacts.loopDir(id), name), 'utf8');
}

/** All files below a folder, without git's and our own. */
export async function filesBelow(folder: string): Promise<readonly string[]> {
  const all = await readdir(folder, { recursive: true });
  return all.filter((name) => !/^\.(?:git|loopwright)(?:\/|$)/.test(name)).toSorted();
}

export type RunLoop = AsyncDisposable & {
  readonly repo: GitRepo;
  readonly project: TestProject;
  readonly loop: Loop;
  prompt(number: number): Promise<string>;
};

/** A repository with a configuration of its own, a project opened on it, and one loop run to its rest. */
export async function runLoop(flags: FlagValues, config = '', title = 'do it'): Promise<RunLoop> {
  const repo = await gitRepo();
  if (config !== '') {
    await repo.write('loopwright.yml', config);
    await repo.commitAll('configuration');
  }
  const project = await openedProject(repo, flags);
  const loop = await project.runText(title);
  return {
    repo,
    project,
    loop,
    prompt: (number) => promptOf(project, loop, number),
    async [Symbol.asyncDispose]() {
      await project[Symbol.asyncDispose]();
      await repo[Symbol.asyncDispose]();
    },
  };
}
