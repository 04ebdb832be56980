import { setTimeout as wait } from 'node:timers/promises';

/** Acts once after `ms`, unless it is disposed of before. Keeps the process alive until then. */
export function after(ms: number, act: () => void): Disposable {
  const timer = setTimeout(act, ms);
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}

/** Resolves after `ms`; rejects with an AbortError as soon as the signal is aborted. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await wait(ms, undefined, signal === undefined ? {} : { signal });
}

/** Acts once after `ms` if the process still runs then: it does not keep the process alive. */
export function afterIdle(ms: number, act: () => void): void {
  setTimeout(act, ms).unref();
}
