import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Doors } from '../../ports/door.ts';
import { makeFolders, standsInTheWay } from '../files/own-folder.ts';
import { DoorSocket, socketIn } from './door-socket.ts';

const longestSocketPath = 100;

/** Doors among the files of their loops; where a socket there would have too long a name, in a temporary folder. */
export function createDoors(stateDir: string): Doors {
  const temporary: Promise<string>[] = [];
  const sockets = new Map<string, Promise<DoorSocket>>();

  const folderFor = async (loopId: string): Promise<string> => {
    const folder = path.join(stateDir, 'loops', loopId, 'door');
    if (Buffer.byteLength(socketIn(folder)) <= longestSocketPath) {
      makeFolders(stateDir, path.dirname(folder));
      if (standsInTheWay(folder)) await rm(folder, { force: true });
      return folder;
    }
    if (temporary.length === 0) temporary.push(mkdtemp(path.join(tmpdir(), 'loopwright-')));
    return path.join((await temporary[0]) ?? folder, loopId);
  };

  function socketOf(loopId: string): Promise<DoorSocket> {
    const known =
      sockets.get(loopId) ?? folderFor(loopId).then((folder) => DoorSocket.open(folder));
    sockets.set(loopId, known);
    return known;
  }

  async function close(loopId: string): Promise<void> {
    const socket = sockets.get(loopId);
    sockets.delete(loopId);
    // One that could not be made need not be closed.
    await (await socket?.catch(() => null))?.[Symbol.asyncDispose]();
  }

  return {
    prepare(loopId) {
      // A failure is met again by whoever opens it.
      socketOf(loopId).catch(() => {});
    },
    async open(loopId, keeper) {
      const ready = await socketOf(loopId).catch(() => null);
      if (ready?.isIntact() === true) return ready.keep(keeper);
      await close(loopId);
      return (await socketOf(loopId)).keep(keeper);
    },
    close,
    async [Symbol.asyncDispose]() {
      for (const loopId of sockets.keys()) await close(loopId);
      for (const folder of temporary) await rm(await folder, { recursive: true, force: true });
    },
  };
}
