import type { Clock } from '../../ports/clock.ts';
import type { Output } from '../context.ts';

const everyMs = 250;

/**
 * Some lines at the bottom of a terminal that are rewritten while something goes on; other lines are printed above
 * them. Without a terminal it is silent. Dispose removes it.
 */
export class StatusBlock implements AsyncDisposable {
  readonly #output: Output;
  readonly #render: (columns: number) => readonly string[];
  readonly #closing = new AbortController();
  readonly #ticking: Promise<void>;
  #shown: readonly string[] = [];

  /** `render` is asked a few times a second and whenever a line is printed; its lines fit into the columns it gets. */
  constructor(output: Output, clock: Clock, render: (columns: number) => readonly string[]) {
    this.#output = output;
    this.#render = render;
    this.#ticking = output.isTerminal ? this.#tick(clock) : Promise.resolve();
  }

  /** One write for the text and the lines below it, so that nothing flickers. */
  print(text: string): void {
    this.#output.write(`${this.#erase()}${text}\n${this.#draw(this.#lines())}`);
  }

  async #tick(clock: Clock): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const lines = this.#lines();
      const isNew = lines.join('\n') !== this.#shown.join('\n');
      if (isNew) this.#output.write(this.#erase() + this.#draw(lines));
      await clock.sleep(everyMs, signal).catch(() => {});
    }
  }

  #lines(): readonly string[] {
    if (!this.#output.isTerminal || this.#closing.signal.aborted) return [];
    return this.#render(Math.max(20, this.#output.columns - 1));
  }

  #draw(lines: readonly string[]): string {
    this.#shown = lines;
    return lines.join('\n');
  }

  #erase(): string {
    if (this.#shown.length === 0) return '';
    const above = '\u001B[1A\u001B[2K'.repeat(this.#shown.length - 1);
    this.#shown = [];
    return `\r\u001B[2K${above}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#ticking;
    const erase = this.#erase();
    if (erase !== '') this.#output.write(erase);
  }
}
