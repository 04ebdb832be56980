import type { ProjectKnowledge } from '../core/memory/knowledge.ts';

export type KnowledgeRequest = {
  /** Globs from the root of the project. */
  readonly globs: readonly string[];
  /** Path of the codebase map; null: none is wanted. */
  readonly map: string | null;
  /** A person chose the map: one that is missing is worth a warning. */
  readonly isMapNamed: boolean;
  /** Where the files are read: a revision, or (null) the user's checkout. Never a worktree of a loop. */
  readonly revision: string | null;
};

/** What the project's own files have to say to tasks. Hostile: bounded in number, size and depth. */
export interface KnowledgeFiles {
  read(request: KnowledgeRequest, signal: AbortSignal): Promise<ProjectKnowledge>;
}
