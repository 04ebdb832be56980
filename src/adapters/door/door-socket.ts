import { chmodSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Door, DoorKeeper } from '../../ports/door.ts';
import { answer } from './answer.ts';
import { nodeProgram } from '../process/own-process.ts';
import { shellWord } from '../../core/text/shell-word.ts';

const maxCallers = 16;

/** Where the socket of a door lies in its folder. */
export function socketIn(folder: string): string {
  return path.join(folder, 'socket');
}

/**
 * The socket of one loop with the program that calls it. It listens for as long as the loop is driven, since making it takes
 * longer than an agent may take to start, and answers only while somebody keeps the door: other callers find nobody there.
 */
export class DoorSocket implements AsyncDisposable {
  readonly #place: Place;
  readonly #server: Server;
  readonly #callers = new Set<Socket>();
  #keeper: DoorKeeper | null = null;
  /** Of the socket that was made. */
  #inode = -1;

  private constructor(folder: string) {
    this.#place = placeIn(folder);
    this.#server = createServer((caller) => this.#receive(caller));
  }

  static async open(folder: string): Promise<DoorSocket> {
    const door = new DoorSocket(folder);
    await door.#listen();
    return door;
  }

  async #listen(): Promise<void> {
    const { folder, socket, program, script } = this.#place;
    // A few small files: handing each to another thread takes longer than making it.
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // Whoever listened there is gone: a loop has one owner.
    for (const file of [socket, program]) rmSync(file, { recursive: true, force: true });
    writeFileSync(program, script, { mode: 0o700 });
    await listen(this.#server, socket);
    chmodSync(socket, 0o600);
    this.#inode = inodeOf(socket);
  }

  /** Whether socket and program are as they were made: an agent can do with them what it likes. */
  isIntact(): boolean {
    const { socket, program, script } = this.#place;
    return inodeOf(socket) === this.#inode && textOf(program) === script;
  }

  /** Answered by `keeper` until the door is disposed of. */
  keep(keeper: DoorKeeper): Door {
    this.#keeper = keeper;
    const { folder, socket, caller } = this.#place;
    return {
      folder,
      socket,
      readable: [folder, nodeProgram, caller],
      [Symbol.asyncDispose]: async () => {
        this.#keeper = null;
        this.#hangUp();
      },
    };
  }

  #receive(caller: Socket): void {
    const keeper = this.#keeper;
    if (keeper === null || this.#callers.size >= maxCallers) {
      caller.destroy();
      return;
    }
    this.#callers.add(caller);
    caller.once('close', () => this.#callers.delete(caller));
    // A caller that went away is no news.
    caller.on('error', () => {});
    void answer(caller, keeper).finally(() => caller.end());
  }

  #hangUp(): void {
    for (const caller of this.#callers) caller.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#hangUp();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    await promise;
  }
}

async function listen(server: Server, socket: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(socket, resolve);
  await promise;
  server.off('error', reject);
}

type Place = {
  readonly folder: string;
  readonly socket: string;
  /** What the program `loopwright` runs. */
  readonly caller: string;
  readonly program: string;
  readonly script: string;
};

function placeIn(folder: string): Place {
  const socket = socketIn(folder);
  const caller = callerFile();
  const words = [nodeProgram, caller, socket].map(shellWord);
  const script = `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`;
  return { folder, socket, caller, program: path.join(folder, 'loopwright'), script };
}

/** From sources the program is the file beside this one; a build emits it as `door-caller.js` beside the bundle. */
function callerFile(): string {
  const name = import.meta.url.endsWith('.ts') ? './caller.ts' : './door-caller.js';
  return fileURLToPath(new URL(name, import.meta.url));
}

function inodeOf(file: string): number {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  return stats?.isSocket() === true ? stats.ino : 0;
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Whatever stands there instead, it is not ours.
    return null;
  }
}
