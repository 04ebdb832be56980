import type { Engine } from './engine.ts';

const firstNoticeMs = 10_000;
const noticeEveryMs = 60_000;

/**
 * Work on many files takes as long as it takes: no clock ends it, only `cut` does, and what takes long is said. Half of it is
 * never relied upon: the next run finds and finishes it.
 */
export async function withoutLimit<T>(
  engine: Pick<Engine, 'clock' | 'publish'>,
  what: string,
  work: (signal: AbortSignal) => Promise<T>,
  cut: AbortSignal = new AbortController().signal,
): Promise<T> {
  const ended = new AbortController();
  const told = tellWhile(engine, what, ended.signal);
  try {
    return await work(cut);
  } finally {
    ended.abort();
    await told;
  }
}

async function tellWhile(
  { clock, publish }: Pick<Engine, 'clock' | 'publish'>,
  what: string,
  ended: AbortSignal,
): Promise<void> {
  const began = clock.monotonic();
  for (let waitMs = firstNoticeMs; !ended.aborted; waitMs = noticeEveryMs) {
    await clock.sleep(waitMs, ended).catch(() => {});
    if (ended.aborted) return;
    const seconds = Math.round((clock.monotonic() - began) / 1000);
    publish({ kind: 'notice', text: `${what} takes long: ${seconds} s so far` });
  }
}
