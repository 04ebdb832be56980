import type { Repository } from '../../adapters/git/repository.ts';
import { proposeFiles, type BroughtFiles } from './brought-files.ts';
import { listIgnored } from './ignored-files.ts';
import { findInstalledAgents, type KnownAgent } from '../../adapters/agents/installed-agents.ts';
import { readProjectFolder } from './project-folder.ts';
import { findTestCommands, type TestCommand } from './test-command.ts';
import { proposeWorktreePlace, type WorktreePlace } from './worktree-place.ts';

/** What `init` found out about a project. Nothing was executed and nothing written. */
export type Findings = {
  readonly agents: readonly KnownAgent[];
  /** The most likely first. */
  readonly tests: readonly TestCommand[];
  readonly place: WorktreePlace | null;
  readonly files: BroughtFiles;
};

/** `repository` is null outside git, where loops work in the folder itself and need nothing brought. */
export async function lookAround(
  root: string,
  repository: Repository | null,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<Findings> {
  const folder = await readProjectFolder(root);
  const ignored = repository === null ? [] : await listIgnored(repository, signal);
  const [agents, tests, place, files] = await Promise.all([
    findInstalledAgents(env),
    findTestCommands(folder),
    repository === null ? null : proposeWorktreePlace(folder),
    repository === null ? nothing : proposeFiles(folder, ignored),
  ]);
  return { agents, tests, place, files };
}

const nothing: BroughtFiles = { link: [], copy: [], setup: null, because: null, secrets: [] };
