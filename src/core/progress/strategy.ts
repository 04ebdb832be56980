import type { ProgressEntry } from './entry.ts';

export const progressStrategyNames = [
  'system-captured',
  'structured',
  'llm-summary',
  'hybrid',
] as const;
export type ProgressStrategyName = (typeof progressStrategyNames)[number];

/** What earlier iterations of one loop did, for the next prompt. Owned by the loop's driver. */
export type ProgressStrategy = {
  readonly name: ProgressStrategyName;
  /** Set when the configured name is unknown and the default took its place. */
  readonly warning: string | null;
  /** Adds an entry, drops the oldest beyond the limit, answers the entry as rendered. */
  record(entry: ProgressEntry): string;
  /** All entries, oldest first; empty string when there are none. */
  get(): string;
  /** `get()` with ever more of the oldest entries left out, longest first, the empty string last. */
  variants(): readonly string[];
  clear(): void;
  readonly length: number;
  readonly isEmpty: boolean;
  /** The kept entries, for the store. */
  entries(): readonly ProgressEntry[];
  serialise(): string;
  /** Replaces all entries by serialised ones; what `get` answers is the same as before `serialise`. */
  restore(serialised: string): void;
};

/** How one strategy turns entries into text. */
export type ProgressRenderer = {
  readonly renderEntry: (entry: ProgressEntry, maxChars: number) => string;
  readonly renderAll: (entries: readonly ProgressEntry[], maxChars: number) => string;
};
