import { realpath } from 'node:fs/promises';
import type { Reach } from '../../ports/failpoint.ts';
import type { Project } from '../../ports/workspace.ts';
import { createFolderProject } from '../files/folder-project.ts';
import { discoverRepository } from './discover.ts';
import { createGitProject } from './git-project.ts';

/**
 * The project around a folder: the git repository it lies in, else the folder itself. `caller` is the environment of
 * the user; their git identity and ignore file are read from it once. `reach` is told of the steps in which worktrees
 * come and go.
 */
export async function openProject(
  cwd: string,
  signal: AbortSignal,
  caller: Readonly<Record<string, string | undefined>>,
  reach?: Reach,
): Promise<Project> {
  const folder = await realpath(cwd);
  const repository = await discoverRepository(folder, caller, signal, reach);
  return repository === null ? createFolderProject(folder) : createGitProject(repository);
}
