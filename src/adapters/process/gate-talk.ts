/** What a gate says to the engine, and what that means. */
import { constants as system } from 'node:os';
import type { Readable } from 'node:stream';

export type Exit = { readonly code: number | null; readonly signal: string | null };

export type Talk = {
  /** The next line of the gate; null when it says nothing more. */
  next(): Promise<string | null>;
  /** Nobody is left at the other end. */
  readonly over: Promise<void>;
};

export const longestTalk = 4096;

/** Everything the gate says, line by line. More than it could have to say ends the talk. */
export function listen(channel: Readable): Talk {
  const lines: string[] = [];
  const waiting: ((line: string | null) => void)[] = [];
  let text = '';
  let heard = 0;
  let isOver = false;
  const over = Promise.withResolvers<void>();
  const hand = (): void => {
    const count = isOver ? waiting.length : lines.length;
    for (const resolve of waiting.splice(0, count)) resolve(lines.shift() ?? null);
  };
  const finish = (): void => {
    isOver = true;
    hand();
    over.resolve();
  };
  channel.on('data', (chunk: Buffer) => {
    heard += chunk.length;
    if (heard > longestTalk) return;
    const parts = (text + chunk.toString('latin1')).split('\n');
    text = parts.pop() ?? '';
    lines.push(...parts);
    hand();
  });
  channel.once('end', finish);
  channel.once('close', finish);
  return {
    over: over.promise,
    next: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        hand();
      }),
  };
}

/** What the first process tells about the program. If it tells nothing, it was killed, and all the others with it. */
export async function readEnd(talk: Talk): Promise<Exit & { readonly isAlone: boolean }> {
  let isKilled = false;
  for (;;) {
    const line = await talk.next();
    if (line === null) return { code: null, signal: 'SIGKILL', isAlone: false };
    const [word, code] = line.split(' ');
    if ((word === 'over' || word === 'left') && code !== undefined && /^\d{1,3}$/.test(code)) {
      const signal = isKilled ? signalName(Number(code) - 128) : null;
      const exit = signal === null ? { code: Number(code), signal } : { code: null, signal };
      return { ...exit, isAlone: word === 'over' };
    }
    isKilled = true;
  }
}

function signalName(number: number): string | null {
  const found = Object.entries(system.signals).find(([, value]) => value === number);
  return found?.[0] ?? null;
}
