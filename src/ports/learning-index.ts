import type { DocumentSource } from '../core/memory/rank/document.ts';
import type { Selected } from '../core/memory/rank/select.ts';

/**
 * Finds learnings that are likely to help with a task. Part of a transaction of the store: what was added, edited or
 * deleted in it is found accordingly. `Learnings` keeps the index; nobody else calls `add` and `remove`.
 */
export interface LearningIndex {
  /**
   * At most `limit` learnings, best first: those with the same failure signature, then by text. Only candidates and
   * active ones. An empty answer means that nothing is likely to help. Never withholds anything.
   */
  search(query: LearningQuery): Promise<readonly FoundLearning[]>;
  /** None of them is in the index yet. */
  add(learnings: readonly (DocumentSource & { readonly id: string })[]): Promise<void>;
  /** The learning as it was added; one that is not in the index is no error. */
  remove(learning: DocumentSource & { readonly id: string }): Promise<void>;
}

export type LearningQuery = {
  readonly title: string;
  readonly description: string;
  /** Of the check that failed last; null when none did. */
  readonly signature: string | null;
  /** The plan the task belongs to; null without one. */
  readonly scope: string | null;
  readonly limit: number;
  /** UTC milliseconds. */
  readonly now: number;
  /** Also gives what is not likely to help. */
  readonly withUnlikely?: boolean;
  /** Time in which votes count half; 90 days unless given. */
  readonly halfLifeMs?: number;
  /** Share of common words above which two learnings of a category say the same; 0.8 unless given. */
  readonly maxOverlap?: number;
};

export type FoundLearning = Selected;
