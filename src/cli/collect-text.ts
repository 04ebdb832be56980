import { LoopwrightError } from '../core/error.ts';
import type { Clock } from '../ports/clock.ts';

export type CollectInput = {
  /** What is read, for messages. */
  readonly name: string;
  readonly maxBytes: number;
  readonly clock: Clock;
  /** Told once when nothing comes for a while. */
  readonly tell: (text: string) => void;
  /** How long nothing may come; an hour unless given. */
  readonly silentMs?: number;
};

const noticeMs = 10_000;
const defaultSilentMs = 60 * 60 * 1000;

/** All text of a stream that has an end: in its size, and in how long it may say nothing. */
export async function collectText(
  stream: NodeJS.ReadableStream & { destroy(error?: Error): unknown },
  { name, maxBytes, clock, tell, silentMs = defaultSilentMs }: CollectInput,
): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  let heard = new AbortController();
  const watch = async (signal: AbortSignal, isFirst: boolean): Promise<void> => {
    if (isFirst) {
      await clock.sleep(noticeMs, signal);
      tell(`waiting for ${name}; Ctrl-C ends it`);
    }
    await clock.sleep(silentMs - (isFirst ? noticeMs : 0), signal);
    stream.destroy(fellSilent(name, silentMs));
  };
  // What is waited for has come, or nothing is waited for any more.
  const start = (isFirst: boolean) => void watch(heard.signal, isFirst).catch(() => {});
  start(true);
  try {
    for await (const chunk of stream) {
      heard.abort();
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      size += bytes.length;
      if (size > maxBytes) throw tooMuch(name, maxBytes);
      chunks.push(bytes);
      heard = new AbortController();
      start(false);
    }
  } finally {
    heard.abort();
  }
  return Buffer.concat(chunks).toString('utf8');
}

function tooMuch(name: string, maxBytes: number): LoopwrightError {
  const limit = Math.round(maxBytes / 1_000_000);
  return new LoopwrightError('usage.stdin_too_large', `${name} holds more than ${limit} MB`, {
    hint: 'is this the right input?',
  });
}

function fellSilent(name: string, silentMs: number): LoopwrightError {
  const minutes = Math.round(silentMs / 60_000);
  return new LoopwrightError(
    'usage.silent_input',
    `${name} said nothing for ${minutes} minutes and was not closed`,
    { hint: 'what writes to it has to close it, or give a file instead' },
  );
}
