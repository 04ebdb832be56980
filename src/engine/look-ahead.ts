import type { Clock } from '../ports/clock.ts';

/** A person who edits the files between two iterations is not faster than this. */
const freshMs = 500;

/** A look at the files that is taken beside other work, for the next iteration to start from. */
export class LookAhead {
  readonly #clock: Clock;
  #ahead: { readonly at: number; readonly tree: Promise<string | null> } | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Settles with the look; one that fails is taken again, in order, when its answer is needed. */
  async take(look: Promise<string>): Promise<void> {
    const tree = look.catch(() => null);
    this.#ahead = { at: this.#clock.monotonic(), tree };
    await tree;
  }

  /** Something may change the files now. */
  forget(): void {
    this.#ahead = null;
  }

  /** What was seen, if that is still how the files are; asked once. */
  async seen(): Promise<string | null> {
    const ahead = this.#ahead;
    this.#ahead = null;
    if (ahead === null) return null;
    const tree = await ahead.tree;
    return this.#clock.monotonic() - ahead.at < freshMs ? tree : null;
  }
}
