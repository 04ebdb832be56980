/** Tells the owner of a loop, in whatever process it is, that something was stored for it. A hint: the store is the truth. */
export interface Wakeups {
  wake(loopId: string): Promise<void>;
  /** Calls `onWake` after each `wake`, possibly more often, never less, until disposed. */
  watch(loopId: string, onWake: () => void): Disposable;
}
