import { isLoopwrightError } from '../../core/error.ts';

/** One line of `doctor`. */
export type Check = {
  readonly name: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly text: string;
  /** What to do about it; null when there is nothing to do. */
  readonly next: string | null;
};

export function ok(name: string, text: string): Check {
  return { name, status: 'ok', text, next: null };
}

export function warn(name: string, text: string, next: string): Check {
  return { name, status: 'warn', text, next };
}

export function fail(name: string, text: string, next: string): Check {
  return { name, status: 'fail', text, next };
}

/** Runs a check that may find out by an error. */
export async function checked(
  name: string,
  look: () => Promise<Check | readonly Check[]>,
): Promise<readonly Check[]> {
  try {
    return [await look()].flat();
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    const hint = isLoopwrightError(error) ? error.hint : null;
    return [fail(name, text, hint ?? 'put this right, then run `loopwright doctor` again')];
  }
}
