import type { Clock } from '../ports/clock.ts';

/** A person who edits the files between two iterations is not faster than this. */
const freshMs = 500;

/** Programs of the user's that run in the worktree beside the agent, in words. */
export type Writer = 'the checks' | 'scripts of stop conditions';

/** What programs have written into a workspace: snapshots of before and after they ran. */
export type Written = { readonly by: Writer; readonly before: string; readonly after: string };

/** A look at the files that is taken beside other work, for the next iteration to start from. */
export class LookAhead {
  readonly #clock: Clock;
  #ahead: { readonly at: number; readonly tree: Promise<string | null> } | null = null;

  #written: (Omit<Written, 'after'> & { readonly after: Promise<string | null> }) | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Settles with the look; one that fails is taken again, in order, when its answer is needed. */
  async take(look: Promise<string>): Promise<void> {
    const tree = look.catch(() => null);
    this.#ahead = { at: this.#clock.monotonic(), tree };
    await tree;
  }

  /** As above; the files were another snapshot before these programs ran. */
  async takeAfter(by: Writer, before: string, look: Promise<string>): Promise<void> {
    const taken = this.take(look);
    const after = this.#ahead?.tree ?? null;
    if (before !== '' && after !== null) this.#written = { by, before, after };
    await taken;
  }

  /** What they have written since; asked once. `look` where the one before has failed. */
  async takeWritten(look: () => Promise<string>): Promise<Written | null> {
    const written = this.#written;
    this.#written = null;
    if (written === null) return null;
    return { ...written, after: (await written.after) ?? (await look()) };
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
