/** What the machine has left for another loop. */
export interface Machine {
  /** Bytes free on the disk of the state folder; null when nobody can tell. */
  freeDisk(): Promise<number | null>;
  /** Bytes of memory that can be used without swapping, within what this process may have. */
  freeMemory(): number | null;
}
