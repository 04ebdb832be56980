/** Locks between processes of one machine. They free themselves when their holder dies, however it dies. */
export interface Locks {
  /** Resolves with the lock held; dispose gives it back. Rejects with the signal's reason. */
  take(name: string, signal: AbortSignal): Promise<AsyncDisposable>;
  /** The lock at once, or null while somebody else holds it. */
  tryTake(name: string): Promise<AsyncDisposable | null>;
}
