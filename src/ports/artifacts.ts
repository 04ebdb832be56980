/** Files kept for each iteration, under the state folder. Written by temp + rename; never whole transcripts in memory. */
export interface Artifacts {
  /** Absolute folder of a loop's files. */
  loopDir(loopId: string): string;
  /** Absolute folder of one iteration's files, made if need be. */
  iterationDir(loopId: string, number: number): Promise<string>;
  /** Absolute folder for a verification that belongs to no iteration (baseline, merge), made if need be. */
  namedDir(loopId: string, name: string): Promise<string>;
  /**
   * Before something writes into a folder that was made here: `artifacts.replaced` when another one, or a link, is in its place or
   * above. Every method that makes or writes looks by itself.
   */
  requireIntact(dir: string): void;
  write(file: string, text: string): Promise<void>;

  /** The same, and on the disk when it returns: for what a fact names and another engine reads. */
  keep(file: string, text: string): Promise<void>;
  /** Moves a file of any size into its place, without the user's secrets and what looks like a key. */
  moveClean(from: string, to: string): Promise<void>;
  /** At most the last `maxBytes` of a file as text; null when it does not exist. */
  readTail(file: string, maxBytes: number): Promise<string | null>;
  /** SHA-256 over files one after the other, read in pieces; missing ones count as empty. */
  digest(files: readonly string[]): Promise<string>;
  /** Names of the files in a folder; none when it does not exist. */
  namesIn(folder: string): Promise<readonly string[]>;
  /** Ids of loops that have a folder. */
  loops(): Promise<readonly string[]>;
  /** Numbers of the loop's iterations that have a folder. */
  iterations(loopId: string): Promise<readonly number[]>;
  /** Absent is fine. */
  removeFile(file: string): Promise<void>;
  remove(loopId: string): Promise<void>;
  /** Removes what a killed process had half written. Only for whoever owns the loop. */
  tidy(loopId: string): Promise<void>;
  /** Bytes used by a loop's files. */
  diskUsage(loopId: string): Promise<number>;
}
