export const priorities = ['critical', 'high', 'normal', 'low'] as const;
export type Priority = (typeof priorities)[number];

/**
 * - `draft`: written down, not to be worked on yet.
 * - `pending`: to be worked on; waits for its dependencies while `blockers` > 0.
 * - `blocked`: needs a person.
 * - `running`: a worker holds it.
 * - `paused`: left in the middle; its loop can go on.
 * - `done`, `failed`, `cancelled`: ended; `reset` opens it again.
 */
export const taskStatuses = [
  'draft',
  'pending',
  'blocked',
  'running',
  'paused',
  'done',
  'failed',
  'cancelled',
] as const;
export type TaskStatus = (typeof taskStatuses)[number];

export type Guidance = { readonly time: number; readonly text: string };

export type Task = {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly parentId: string | null;
  readonly priority: Priority;
  /** Name of the loop type; null means the default. */
  readonly type: string | null;
  /** The task's own validation command; null means the project's. */
  readonly validation: string | null;
  readonly maxRetries: number;
  /** Further loops started after failed ones. */
  readonly retries: number;
  readonly status: TaskStatus;
  /** Why it is blocked, failed or paused; null otherwise. */
  readonly reason: string | null;
  readonly guidance: readonly Guidance[];
  /** What the loop that finished it said it did; shown to dependents. */
  readonly summary: string | null;
  /** Dependencies that are not done. */
  readonly blockers: number;
  readonly children: number;
  readonly openChildren: number;
  /** Ancestors that are failed, cancelled or paused. */
  readonly held: number;
  readonly readySince: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
};

export type NewTask = {
  readonly title: string;
  readonly description?: string;
  readonly parentId?: string | null;
  readonly after?: readonly string[];
  readonly priority?: Priority;
  readonly type?: string | null;
  readonly validation?: string | null;
  readonly maxRetries?: number;
  readonly status?: 'draft' | 'pending' | 'done';
};
