import { isLoopwrightError, LoopwrightError } from '../core/error.ts';
import type { ApiError } from '../protocol/http/route.ts';

/** A request that is answered with a status of its own. */
export class Refusal extends LoopwrightError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: string,
    message: string,
    options: { readonly hint?: string; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(code, message, options.hint === undefined ? {} : { hint: options.hint });
    this.status = status;
    this.headers = options.headers ?? {};
  }
}

/** Errors of ours that say the thing is not there, or that it is not the moment. The rest is a bad request. */
const statuses: readonly (readonly [RegExp, number])[] = [
  [/\.not_found$|^store\.missing$/, 404],
  [/^message\.(too_many|unread)$/, 429],
  [/^message\.too_large$/, 413],
  [/^store\.|^internal$/, 503],
  [/^loop\.(owned|running|lost|conflict|complete)$|^task\.(held|transition)$|^message\./, 409],
];

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ApiError;
};

/** What the client is told about an error. What is no error of ours is not described: it may hold anything. */
export function answerOf(error: unknown): Answer {
  if (error instanceof Refusal) {
    return { status: error.status, headers: error.headers, body: bodyOf(error) };
  }
  if (isLoopwrightError(error)) {
    const { code } = error;
    const status = statuses.find(([pattern]) => pattern.test(code))?.[1] ?? 400;
    return { status, headers: {}, body: bodyOf(error) };
  }
  const message = 'the daemon could not answer; its log says why';
  return { status: 500, headers: {}, body: { error: { code: 'internal', message, hint: null } } };
}

function bodyOf({ code, message, hint }: LoopwrightError): ApiError {
  return { error: { code, message, hint: hint ?? null } };
}
