/** Where each session writes who waits for its slots, for `status` in another process. */
export interface QueueBoard {
  write(sessionId: string, text: string): Promise<void>;
  /** Null when it has written nothing. */
  read(sessionId: string): Promise<string | null>;
  /** Absent is fine. */
  remove(sessionId: string): Promise<void>;
  /** Ids of the sessions that have written. */
  sessions(): Promise<readonly string[]>;
}
