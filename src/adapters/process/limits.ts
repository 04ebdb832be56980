import type { Clock } from '../../ports/clock.ts';
import type { ProcessControl, ProcessEnd, ProcessSpec } from '../../ports/process.ts';
import { notNeeded, sleepAwake } from './awake-sleep.ts';
import { untilHung, type SignsOfLife } from './liveness.ts';

/** Why a run is ended from outside; the first one stands. */
export type Cause =
  | Extract<ProcessEnd, { kind: 'timed-out' | 'hung' | 'cancelled' | 'ended-after-result' }>
  | { readonly kind: 'broken'; readonly error: unknown };

export type Limits = Pick<ProcessSpec, 'timeoutMs' | 'idleMs'> & {
  readonly control: ProcessControl | null;
  readonly signal: AbortSignal;
};

/**
 * Waits for the caller's signal, the limits and the program's result, whichever is first. Time in which this process was
 * stopped or the machine asleep does not count.
 */
export function watchForEnd(
  { timeoutMs, idleMs = 0, control, signal }: Limits,
  signs: SignsOfLife,
  clock: Clock,
  end: (cause: Cause) => void,
): { stop(): void } {
  const settled = new AbortController();
  const after = (waited: Promise<void>, cause: Cause): void => {
    waited.then(
      () => end(cause),
      (error: unknown) => {
        // Rejects when the run is over before the time is.
        if (!settled.signal.aborted) end({ kind: 'broken', error });
      },
    );
  };
  const afterMs = (ms: number, cause: Cause): void =>
    after(sleepAwake(ms, clock, settled.signal), cause);
  const cancel = (): void => end({ kind: 'cancelled' });
  signal.addEventListener('abort', cancel, { once: true });
  if (timeoutMs !== null) afterMs(timeoutMs, { kind: 'timed-out', afterMs: timeoutMs });
  if (idleMs > 0) after(untilHung(idleMs, signs, clock, settled.signal), { kind: 'hung', idleMs });
  control?.finished.then(
    () => afterMs(control.lingerMs, { kind: 'ended-after-result' }),
    (error: unknown) => end({ kind: 'broken', error }),
  );
  return {
    stop() {
      signal.removeEventListener('abort', cancel);
      settled.abort(notNeeded);
    },
  };
}
