import { connect, type Socket } from 'node:net';
import { z } from 'zod';
import { readLine } from '../../door/door-line.ts';
import { socketLines } from '../../door/socket-lines.ts';

/** One model request that may go out. It is over when told how it ended; hanging up says so too. */
export type Leave = {
  answered(tokens: number): void;
  /** A 429: every loop of this provider waits. */
  refused(afterMs: number | null): void;
};

export type DoorClient = {
  /** False: nobody limits the requests, and nobody is told of a 429. */
  readonly hasEngine: boolean;
  /** Settles when a request may go out. Nobody to ask is no obstacle: the engine is gone and ends this run soon. */
  leave(signal: AbortSignal): Promise<Leave>;
  /** Runs `loopwright` inside the loop. Null when nobody answers. */
  command(argv: readonly string[], signal: AbortSignal): Promise<CommandAnswer | null>;
};

const CommandAnswer = z.object({ exitCode: z.number(), stdout: z.string(), stderr: z.string() });
export type CommandAnswer = z.output<typeof CommandAnswer>;

const nobody: Leave = { answered() {}, refused() {} };

/** The engine behind a socket; null: there is none, and every request may go out. */
export function createDoorClient(path: string | null): DoorClient {
  if (path === null) {
    return {
      hasEngine: false,
      leave: () => Promise.resolve(nobody),
      command: () => Promise.resolve(null),
    };
  }
  return {
    hasEngine: true,
    async leave(signal) {
      const { socket, next } = call(path, { type: 'request' }, signal);
      const granted = await next();
      signal.throwIfAborted();
      if (granted === null) return nobody;
      const report = (value: object) => socket.end(`${JSON.stringify(value)}\n`);
      return {
        answered: (tokens) => report({ type: 'answered', tokens }),
        refused: (afterMs) => report({ type: 'refused', afterMs }),
      };
    },
    async command(argv, signal) {
      const { socket, next } = call(path, { type: 'command', argv, stdin: null }, signal);
      const line = await next();
      socket.destroy();
      return line === null ? null : readLine(CommandAnswer, line);
    },
  };
}

function call(
  path: string,
  value: object,
  signal: AbortSignal,
): { readonly socket: Socket; readonly next: () => Promise<string | null> } {
  const socket = connect(path);
  // Told by the end of its lines.
  socket.on('error', () => {});
  const hangUp = () => socket.destroy();
  signal.addEventListener('abort', hangUp, { once: true });
  socket.once('close', () => signal.removeEventListener('abort', hangUp));
  socket.write(`${JSON.stringify(value)}\n`);
  return { socket, next: socketLines(socket) };
}
