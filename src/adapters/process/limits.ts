import type { Clock } from '../../ports/clock.ts';
import type { ProcessControl, ProcessEnd, ProcessSpec } from '../../ports/process.ts';

/** Why a run is ended from outside; the first one stands. */
export type Cause =
  | Extract<ProcessEnd, { kind: 'timed-out' | 'cancelled' | 'ended-after-result' }>
  | { readonly kind: 'broken'; readonly error: unknown };

/** Waits for the caller's signal, the time limit and the program's result, whichever is first. */
export function watchForEnd(
  spec: ProcessSpec,
  control: ProcessControl | null,
  signal: AbortSignal,
  clock: Clock,
  end: (cause: Cause) => void,
): { stop(): void } {
  const settled = new AbortController();
  const after = (ms: number, cause: Cause): void => {
    // Rejects when the run is over before the time is.
    clock.sleep(ms, settled.signal).then(
      () => end(cause),
      () => undefined,
    );
  };
  const cancel = (): void => end({ kind: 'cancelled' });
  signal.addEventListener('abort', cancel, { once: true });
  const { timeoutMs } = spec;
  if (timeoutMs !== null) after(timeoutMs, { kind: 'timed-out', afterMs: timeoutMs });
  control?.finished.then(
    () => after(control.lingerMs, { kind: 'ended-after-result' }),
    (error: unknown) => end({ kind: 'broken', error }),
  );
  return {
    stop() {
      signal.removeEventListener('abort', cancel);
      settled.abort();
    },
  };
}
