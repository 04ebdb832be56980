import type { FileChanges } from '../core/loop/changes.ts';
import type { Loop } from '../core/loop/loop.ts';
import { worksInPlace } from '../core/loop/place.ts';
import type { Engine } from './engine.ts';
import type { Room } from './run-command.ts';

/** What a verification judges, and where. */
export type JudgedFiles = {
  /** Folder the checks run in. */
  readonly cwd: string;
  /** Folder for the evidence. */
  readonly dir: string;
  /** Snapshot of the files. */
  readonly tree: string;
  /** Commit with the same files; null when there is none. */
  readonly commit: string | null;
  /** The loop's own work, from its base; null when the base itself is judged. */
  readonly work: LoopWork | null;
  /** Where the checks run apart from the user's own environment. */
  readonly room?: Room;
};

export type LoopWork = {
  readonly from: string;
  readonly to: string;
  changes(from: string, to: string): Promise<FileChanges>;
};

const maxBytes = 1024 * 1024;

/**
 * Text of a file that judges (a schema, expected output): from the base revision, else from the user's checkout.
 * Never from the worktree, where the agent could write its own. Null when there is none.
 */
export async function readJudge(
  { project, artifacts }: Engine,
  loop: Loop,
  file: string,
  signal: AbortSignal,
): Promise<string | null> {
  const revision = loop.workspace.base ?? loop.iterations[0]?.startTree ?? null;
  const known = revision === null ? null : await project.readAt(revision, file, maxBytes, signal);
  if (known !== null || worksInPlace(loop)) return known;
  return artifacts.readTail(`${project.root}/${file}`, maxBytes);
}

/** Text of a judged file as the snapshot has it: links are not followed. Null when it does not exist. */
export async function readJudged(
  { project }: Engine,
  { tree }: JudgedFiles,
  file: string,
  signal: AbortSignal,
): Promise<string | null> {
  return project.readAt(tree, file, maxBytes, signal);
}
