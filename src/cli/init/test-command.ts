import { findMarkedTests } from './marked-tests.ts';
import { findNodeTests } from './node-tests.ts';
import type { ProjectFolder } from './project-folder.ts';
import { findPythonTests } from './python-tests.ts';

/** A command that runs the tests of a project. */
export type TestCommand = {
  readonly command: string;
  /** What in the project speaks for it: `scripts.test in package.json`. */
  readonly because: string;
};

/** Every test command the project's files speak for, the most likely first. Nothing is executed. */
export async function findTestCommands(folder: ProjectFolder): Promise<readonly TestCommand[]> {
  const found = await Promise.all([
    findNodeTests(folder),
    findPythonTests(folder),
    findMarkedTests(folder),
  ]);
  const byCommand = new Map(found.flat().map((test) => [test.command, test]));
  return [...byCommand.values()];
}
