import type { Clock } from '../../ports/clock.ts';
import type { Output } from '../context.ts';
import { cutToWidth } from './width.ts';

/**
 * One line at the bottom of a terminal that is rewritten while something goes on; other lines are printed above it.
 * Without a terminal it is silent. Dispose removes it.
 */
export class StatusLine implements AsyncDisposable {
  readonly #output: Output;
  readonly #render: (columns: number) => string | null;
  readonly #closing = new AbortController();
  readonly #ticking: Promise<void>;
  #isShown = false;

  /** `render` is asked once a second, whenever a line is printed, and by `refresh`; it gets the columns there are. */
  constructor(output: Output, clock: Clock, render: (columns: number) => string | null) {
    this.#output = output;
    this.#render = render;
    this.#ticking = output.isTerminal ? this.#tick(clock) : Promise.resolve();
  }

  /** One write for the line and the status below it, so that nothing flickers. */
  print(text: string): void {
    this.#output.write(`${this.#erase()}${text}\n${this.#status()}`);
  }

  /** Shows at once what has changed. */
  refresh(): void {
    const text = this.#erase() + this.#status();
    if (text !== '') this.#output.write(text);
  }

  async #tick(clock: Clock): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      this.refresh();
      await clock.sleep(1000, signal).catch(() => {});
    }
  }

  #status(): string {
    if (!this.#output.isTerminal || this.#closing.signal.aborted) return '';
    const columns = Math.max(10, this.#output.columns - 1);
    const text = this.#render(columns);
    if (text === null) return '';
    this.#isShown = true;
    const shown = cutToWidth(text, columns);
    return this.#output.hasColour ? `\u001B[2m${shown}\u001B[22m` : shown;
  }

  #erase(): string {
    if (!this.#isShown) return '';
    this.#isShown = false;
    return '\r\u001B[2K';
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#ticking;
    const erase = this.#erase();
    if (erase !== '') this.#output.write(erase);
  }
}
