import { chmodSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { privateFile } from '../files/private-state.ts';
import { syncToDisk } from '../files/sync-to-disk.ts';
import { answersSignals } from '../process/identity.ts';
import { backupPath, lastBackup } from './backup-files.ts';
import { Connection } from './connection.ts';
import type { SearchThread } from './search-thread.ts';
import { ownPid } from '../process/own-process.ts';

/** A copy as of now, whole or not there. What cannot be read makes it fail: no damage gets into a backup. */
export function makeBackup(file: string, version: number): void {
  const place = prepare(file, version);
  copyInto(file, place.temporary);
  putInPlace(place);
}

/** A copy of the database as a new file, synced. Takes some milliseconds for each MB. */
export function copyInto(file: string, copy: string): void {
  using connection = new Connection(file, { mode: 'write' });
  connection.run('vacuum into ?', [copy]);
  syncToDisk(copy);
}

const retryMs = 60 * 60 * 1000;

/** The backups of an open store: one at a time, made on the thread. */
export class Backups {
  readonly #file: string;
  readonly #version: number;
  readonly #thread: SearchThread;
  #underWay: Promise<void> | null = null;
  #failed: number | null = null;

  constructor(file: string, version: number, thread: SearchThread) {
    this.#file = file;
    this.#version = version;
    this.#thread = thread;
  }

  /** Makes one unless there is one made since then. One that failed is tried again an hour later at the earliest. */
  make(since: number): Promise<void> {
    if (this.#underWay !== null) return this.#underWay;
    const isTooEarly = this.#failed !== null && since < this.#failed + retryMs;
    if (isTooEarly || lastBackup(this.#file) >= since) return Promise.resolve();
    this.#underWay = this.#makeNow()
      .then(() => {
        this.#failed = null;
      })
      .catch((error: unknown) => {
        this.#failed = since;
        throw error;
      })
      .finally(() => {
        this.#underWay = null;
      });
    return this.#underWay;
  }

  async #makeNow(): Promise<void> {
    const place = prepare(this.#file, this.#version);
    // Another engine is at it.
    if (place.isTaken) return;
    if (!(await this.#thread.copyTo(place.temporary))) {
      rmSync(place.temporary, { force: true });
      copyInto(this.#file, place.temporary);
    }
    putInPlace(place);
  }

  /** Settles when none is being made. */
  async settled(): Promise<void> {
    // Its failure is told to the caller that asked for it.
    await this.#underWay?.catch(() => {});
  }
}

type Place = {
  readonly backup: string;
  readonly temporary: string;
  /** Another process is making one. */
  readonly isTaken: boolean;
};

/** Removes what killed attempts left. */
function prepare(file: string, version: number): Place {
  const backup = backupPath(file, version);
  const temporary = `${backup}.tmp-${ownPid}`;
  const folder = path.dirname(backup);
  const start = `${path.basename(backup)}.tmp`;
  let isTaken = false;
  for (const name of readdirSync(folder).filter((each) => each.startsWith(start))) {
    const pid = Number(/^-(\d+)/.exec(name.slice(start.length))?.[1] ?? 0);
    if (pid !== ownPid && pid > 0 && answersSignals(pid)) isTaken = true;
    else rmSync(path.join(folder, name), { force: true });
  }
  return { backup, temporary, isTaken };
}

function putInPlace({ backup, temporary }: Place): void {
  chmodSync(temporary, privateFile);
  renameSync(temporary, backup);
  syncToDisk(path.dirname(backup));
}
