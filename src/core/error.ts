const marker = Symbol.for('loopwright.error');

export type ErrorOptions = {
  /** What the person can do next, as one sentence or command. */
  readonly hint?: string;
  readonly cause?: unknown;
  /** Structured fields for logs and machines. */
  readonly details?: Readonly<Record<string, unknown>>;
};

/**
 * A broken promise of code or environment. `code` is stable and dotted (`git.worktree_locked`),
 * the message names the thing and the reason, `hint` names the next step.
 */
export class LoopwrightError extends Error {
  readonly code: string;
  readonly hint: string | null;
  readonly details: Readonly<Record<string, unknown>>;
  readonly [marker] = true;

  constructor(code: string, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'LoopwrightError';
    this.code = code;
    this.hint = options.hint ?? null;
    this.details = options.details ?? {};
  }
}

export function isLoopwrightError(value: unknown): value is LoopwrightError {
  return typeof value === 'object' && value !== null && marker in value;
}
