import { readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { QueueBoard } from '../../ports/queue-board.ts';
import { writeOwnFile } from './own-file.ts';
import { makeFolders } from './own-folder.ts';
import { smallText } from './small-file.ts';

const maxBytes = 4 * 1024 * 1024;
const sessionFile = /^(s-[0-9a-z]{1,32})\.json$/;

/** One small file for each session, in the state folder. */
export function createQueueBoard(stateDir: string): QueueBoard {
  const folder = path.join(stateDir, 'queues');
  const fileOf = (id: string) => path.join(folder, `${id}.json`);
  return {
    async write(sessionId, text) {
      makeFolders(stateDir, folder);
      const half = path.join(folder, `${sessionId}.half`);
      writeOwnFile(half, text);
      await rename(half, fileOf(sessionId));
    },
    async read(sessionId) {
      return smallText(fileOf(sessionId), 'utf8', maxBytes);
    },
    async remove(sessionId) {
      await rm(fileOf(sessionId), { force: true });
      await rm(path.join(folder, `${sessionId}.half`), { force: true });
    },
    async sessions() {
      const names = await readdir(folder).catch(() => []);
      return names.flatMap((name) => sessionFile.exec(name)?.[1] ?? []);
    },
  };
}
