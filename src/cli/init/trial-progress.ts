import { formatDuration as formatLimit } from '../../core/config/duration.ts';
import type { TrialStep } from '../../engine/try-checks.ts';
import type { CliContext } from '../context.ts';
import { formatElapsed } from '../render/format.ts';
import { StatusLine } from '../render/status-line.ts';

/** Says what is being tried: one line that is rewritten on a terminal, a line for each step without one. */
export class TrialProgress implements AsyncDisposable {
  readonly #context: CliContext;
  readonly #limit: string;
  #line: StatusLine | null = null;
  #text = '';
  #startedAt = 0;

  constructor(context: CliContext, limitMs: number) {
    this.#context = context;
    this.#limit = formatLimit(limitMs);
  }

  show(step: TrialStep, command: string | null): void {
    const { err, clock } = this.#context;
    this.#text = describeStep(step, command);
    if (!err.isTerminal) {
      const limit = step === 'worktree' ? '' : ` (at most ${this.#limit}; --no-try skips it)`;
      err.write(`${this.#text}${limit}\n`);
      return;
    }
    this.#startedAt = clock.monotonic();
    this.#line ??= new StatusLine(err, clock, () => this.#status());
    this.#line.refresh();
  }

  #status(): string {
    const elapsed = formatElapsed(this.#context.clock.monotonic() - this.#startedAt);
    return `  ${elapsed} of ${this.#limit} · Ctrl-C ends it · ${this.#text}`;
  }

  /** Makes room for a question. */
  async pause(): Promise<void> {
    await this.#line?.[Symbol.asyncDispose]();
    this.#line = null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.pause();
  }
}

function describeStep(step: TrialStep, command: string | null): string {
  if (step === 'worktree') return 'making a worktree to try the check in';
  const what = step === 'setup' ? 'setting the worktree up with' : 'trying';
  return `${what} \`${command ?? ''}\`${step === 'check' ? ' in a fresh worktree' : ''}`;
}
