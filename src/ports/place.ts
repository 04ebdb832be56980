import type { PlaceRecord } from '../core/place/place.ts';

/** What the store knows of where it belongs. */
export interface Places {
  /** Null: no engine of a version that knows places has opened it. */
  get(): Promise<PlaceRecord | null>;
  put(record: PlaceRecord): Promise<void>;
  /** Where a recorded path of a worktree is now. */
  locate(recorded: string): Promise<string>;
  /** The workspace paths of all loops as they were recorded, newest first. */
  recorded(): Promise<readonly RecordedPath[]>;
  /** Loops that an engine on another machine holds, by leases that last beyond `now`. */
  heldElsewhere(host: string, now: number): Promise<ReadonlySet<string>>;
  /** Ends every session so far: none of their processes is ours. What they had claimed is free. */
  disown(now: number): Promise<void>;
  /** What is wrong with the store as a whole, in words; null when it is sound. Reads all of it. */
  findDamage(): Promise<string | null>;
}

export type RecordedPath = {
  readonly loopId: string;
  readonly mode: 'worktree' | 'in-place';
  readonly path: string;
  readonly isOpen: boolean;
};
