import type { LoopOwner } from './loop-owner.ts';

/** Records warnings one after the other while something else goes on, which must wait for them before it records. */
export class WarningRecorder {
  readonly #owner: LoopOwner;
  #recording: Promise<void> = Promise.resolve();

  constructor(owner: LoopOwner) {
    this.#owner = owner;
  }

  add(text: string): void {
    this.#recording = this.#recording.then(() =>
      this.#owner.record({ type: 'warning.raised', text }),
    );
    // A failure surfaces where it is awaited.
    this.#recording.catch(() => {});
  }

  /** Settles when all of them are stored. */
  recorded(): Promise<void> {
    return this.#recording;
  }
}
