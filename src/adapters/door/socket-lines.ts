import type { Socket } from 'node:net';
import { maxLineBytes } from './door-line.ts';

const nobody = (): void => {};

/** The lines of a connection, one at a time. Null: it has ended, or a line is longer than any may be. */
export function socketLines(socket: Socket): () => Promise<string | null> {
  let buffered = Buffer.alloc(0);
  let chunks: Buffer[] = [];
  let size = 0;
  let isOver = false;
  let wake = nobody;
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxLineBytes) socket.destroy();
    if (chunk.includes(10) || isOver) wake();
  });
  const over = () => {
    isOver = true;
    wake();
  };
  socket.on('end', over);
  socket.on('close', over);

  return async () => {
    for (;;) {
      if (chunks.length > 0) buffered = Buffer.concat([buffered, ...chunks]);
      chunks = [];
      const at = buffered.indexOf(10);
      if (at !== -1) {
        const line = buffered.subarray(0, at).toString('utf8');
        buffered = buffered.subarray(at + 1);
        size = buffered.length;
        return line;
      }
      if (isOver) return null;
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      await promise;
    }
  };
}
