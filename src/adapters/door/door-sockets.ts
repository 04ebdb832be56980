import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Door, DoorKeeper, Doors, RequestReport } from '../../ports/door.ts';
import { DoorCall, DoorReport, readLine } from './door-line.ts';
import { socketLines } from './socket-lines.ts';

const longestSocketPath = 100;
const maxCallers = 16;
const silenceMs = 30_000;

/** Doors among the files of their loops; where a socket there would have too long a name, in a temporary folder. */
export function createDoors(stateDir: string): Doors {
  const temporary: Promise<string>[] = [];
  const folderFor = async (loopId: string): Promise<string> => {
    const folder = path.join(stateDir, 'loops', loopId, 'door');
    if (Buffer.byteLength(socketIn(folder)) <= longestSocketPath) return folder;
    if (temporary.length === 0) temporary.push(mkdtemp(path.join(tmpdir(), 'loopwright-')));
    return path.join((await temporary[0]) ?? folder, loopId);
  };
  return {
    async open(loopId, keeper) {
      const folder = await folderFor(loopId);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const socket = socketIn(folder);
      await writeProgram(folder, socket);
      // Whoever listened there is gone: a loop has one owner.
      await rm(socket, { force: true });
      return openDoor(folder, socket, keeper);
    },
    async [Symbol.asyncDispose]() {
      for (const folder of temporary) await rm(await folder, { recursive: true, force: true });
    },
  };
}

function socketIn(folder: string): string {
  return path.join(folder, 'socket');
}

async function openDoor(folder: string, socket: string, keeper: DoorKeeper): Promise<Door> {
  const callers = new Set<Socket>();
  const server = createServer((caller) => {
    if (callers.size >= maxCallers) {
      caller.destroy();
      return;
    }
    callers.add(caller);
    caller.once('close', () => callers.delete(caller));
    // A caller that went away is no news.
    caller.on('error', () => {});
    void answer(caller, keeper).finally(() => caller.end());
  });
  await listen(server, socket);
  await chmod(socket, 0o600);
  return {
    folder,
    socket,
    readable: [folder, process.execPath, callerFile()],
    async [Symbol.asyncDispose]() {
      for (const caller of callers) caller.destroy();
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      await promise;
    },
  };
}

async function listen(server: Server, socket: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(socket, resolve);
  await promise;
  server.off('error', reject);
}

async function answer(caller: Socket, keeper: DoorKeeper): Promise<void> {
  const next = socketLines(caller);
  caller.setTimeout(silenceMs, () => caller.destroy());
  const line = await next();
  const call = line === null ? null : readLine(DoorCall(), line);
  // From here on it is the engine that may take its time.
  caller.setTimeout(0);
  if (call === null) return;
  if (call.type === 'command') {
    const answered = await keeper.command(call.argv, call.stdin);
    if (caller.writable) caller.write(`${JSON.stringify(answered)}\n`);
    return;
  }
  await leaveToAsk(caller, keeper, next);
}

/** The slot is given back when the caller says so, and when it is gone without a word. */
async function leaveToAsk(
  caller: Socket,
  keeper: DoorKeeper,
  next: () => Promise<string | null>,
): Promise<void> {
  const gone = new AbortController();
  caller.once('close', () => gone.abort());
  let report: RequestReport | null = null;
  const giveBack = await keeper.request(gone.signal).catch(() => null);
  if (giveBack === null) return;
  try {
    if (caller.writable) caller.write('{"granted":true}\n');
    const line = await next();
    report = line === null ? null : readLine(DoorReport(), line);
  } finally {
    giveBack(report);
  }
}

async function writeProgram(folder: string, socket: string): Promise<void> {
  const file = path.join(folder, 'loopwright');
  const words = [process.execPath, callerFile(), socket].map(quoted);
  const script = `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`;
  const known = await readFile(file, 'utf8').catch(() => null);
  if (known === script) return;
  await rm(file, { force: true });
  await writeFile(file, script, { mode: 0o700 });
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** From sources the program is the file beside this one; a build emits it as `door-caller.js` beside the bundle. */
function callerFile(): string {
  const name = import.meta.url.endsWith('.ts') ? './caller.ts' : './door-caller.js';
  return fileURLToPath(new URL(name, import.meta.url));
}
