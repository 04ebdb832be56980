import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { LoopwrightError } from '../../core/error.ts';
import type { Store, StoreTx } from '../../ports/store.ts';
import { monotonicMs } from '../clock/monotonic.ts';
import { privateFile, privateFolder } from '../files/private-state.ts';
import { readBootId } from '../process/proc.ts';
import { createAttempts } from './attempts.ts';
import { createGaps } from './gaps.ts';
import { createBaselines } from './baselines.ts';
import { withCleanTexts } from './clean-texts.ts';
import { Connection } from './connection.ts';
import { refuseForeignLog } from './foreign-log.ts';
import { createLearningIndex, createThreadedIndex } from './learning-index.ts';
import { createLearnings } from './learnings.ts';
import { leaseTime, type BootClock } from './lease-time.ts';
import { createLoops } from './loops.ts';
import { createMessages } from './messages.ts';
import { migrate, refuseNewerUntouched } from './migrate.ts';
import { loadMigrations, shippedMigrations } from './migrations.ts';
import { refuseNetworkDisk } from './network-disk.ts';
import { placeNewStore } from './new-store.ts';
import { createOutages } from './outages.ts';
import { createPlaces } from './places.ts';
import { createQueue } from './queue.ts';
import { reindex } from './reindex.ts';
import { createRequests } from './requests.ts';
import type { Db } from './schema.ts';
import { SearchThread } from './search-thread.ts';
import { Backups } from './store-backup.ts';
import { createSessions } from './sessions.ts';
import { ChangeCount, forgetMark } from './store-mark.ts';
import { createTasks } from './tasks.ts';
import { Transactions } from './transactions.ts';
import { wallClockMs } from '../clock/wall-clock.ts';

export type StoreOptions = {
  /** How long a transaction, or the opening, waits for another program; a minute by default. */
  readonly busyTimeoutMs?: number;
  /** Told once per wait that takes more than a moment. */
  readonly onLocked?: (text: string) => void;
  /** Folder of the migrations; the shipped ones by default. */
  readonly migrations?: string;
  /** From so many learnings on they are searched on a thread of their own; fewer take less time than asking it. */
  readonly threadFrom?: number;
  /** Takes secrets out of texts before they are stored. */
  readonly clean?: (text: string) => string;
  /** Measures leases; the machine's own clocks by default. */
  readonly boot?: BootClock;
  /** Of the project: workspace paths of loops are told as they are there. Absent: as they were recorded. */
  readonly root?: string;
};

const defaultThreadFrom = 10_000;

/**
 * Opens the SQLite database of a project, makes it if there is none, and brings it to the newest schema.
 * Transactions of one store take turns: a `write` inside the `work` of another `write` would wait for ever.
 * Reads have their own connection and do not wait for writes.
 */
export async function openStore(file: string, options: StoreOptions = {}): Promise<Store> {
  const connections = await openConnections(path.resolve(file), options);
  const writes = new Transactions(connections.write, 'write', connections.changes);
  const reads = new Transactions(connections.read, 'read');
  try {
    await reindex(reads, writes, connections.version);
  } catch (error) {
    await reads[Symbol.asyncDispose]();
    await writes[Symbol.asyncDispose]();
    throw error;
  }
  const thread = new SearchThread(path.resolve(file));
  const backups = new Backups(path.resolve(file), connections.version, thread);
  const { clean, threadFrom = defaultThreadFrom, boot = machineClock(), root = null } = options;
  const cleaned = (tx: StoreTx): StoreTx => (clean === undefined ? tx : withCleanTexts(tx, clean));
  const toWrite = (db: Db) =>
    cleaned({ ...createTx(db, root), leaseTime: () => leaseTime(db, boot, 'write') });
  // Nothing was changed in a read, so a thread with its own connection sees all there is to see.
  const toRead = (db: Db) => {
    const learningIndex = createThreadedIndex(db, thread, threadFrom);
    const leases = { leaseTime: () => leaseTime(db, boot, 'read') };
    return cleaned({ ...createTx(db, root), ...leases, learningIndex });
  };
  let closed: Promise<void> | null = null;
  const assertOpen = () => {
    if (closed !== null) throw new LoopwrightError('store.closed', `${file} was closed`);
  };
  return {
    async write(work) {
      assertOpen();
      return writes.run((db) => work(toWrite(db)));
    },
    async read(work) {
      assertOpen();
      return reads.run((db) => work(toRead(db)));
    },
    assertInPlace() {
      assertOpen();
      connections.write.assertInPlace();
    },
    async backUp(since) {
      assertOpen();
      await backups.make(since);
    },
    [Symbol.asyncDispose]() {
      // The writer goes last: the last connection folds the log back into the file.
      closed ??= backups
        .settled()
        .then(() => reads[Symbol.asyncDispose]())
        .then(() => thread[Symbol.asyncDispose]())
        .then(() => writes[Symbol.asyncDispose]());
      return closed;
    },
  };
}

type Connections = {
  readonly write: Connection;
  readonly read: Connection;
  readonly changes: ChangeCount | null;
  /** Of the schema. */
  readonly version: number;
};

async function openConnections(file: string, options: StoreOptions): Promise<Connections> {
  const folder = options.migrations ?? shippedMigrations();
  const migrations = loadMigrations(folder);
  refuseNetworkDisk(file);
  refuseNewerUntouched(file, migrations.length);
  makeFolder(path.dirname(file));
  refuseForeignLog(file);
  if (!existsSync(file)) forgetMark(file);
  placeNewStore(file, folder);
  makePrivate(file);
  const { busyTimeoutMs, onLocked } = options;
  const patience = {
    ...(busyTimeoutMs === undefined ? {} : { busyTimeoutMs }),
    ...(onLocked === undefined ? {} : { onLocked }),
  };
  const write = await Connection.open(file, { mode: 'write', ...patience });
  try {
    await migrate(write, migrations);
    const changes = await ChangeCount.begin(write, migrations.length);
    const read = await Connection.open(file, { mode: 'read', ...patience });
    return { write, read, changes, version: migrations.length };
  } catch (error) {
    write[Symbol.dispose]();
    throw error;
  }
}

/** Its log and its shared memory get the modes of the file itself. Whatever stands in the way is told when it is opened. */
function makePrivate(file: string): void {
  try {
    writeFileSync(file, '', { flag: 'wx', mode: privateFile });
  } catch {
    // It is there, or cannot be made.
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: privateFolder });
  } catch (cause) {
    throw new LoopwrightError('store.cannot_open', `${folder} cannot be made`, {
      cause,
      hint: 'Check the path and the permissions of the folders above it.',
    });
  }
}

function machineClock(): BootClock {
  return { bootId: readBootId(), monotonic: monotonicMs, now: wallClockMs };
}

function createTx(db: Db, root: string | null): Omit<StoreTx, 'leaseTime'> {
  return {
    tasks: createTasks(db),
    loops: createLoops(db, root),
    queue: createQueue(db),
    sessions: createSessions(db),
    requests: createRequests(db),
    baselines: createBaselines(db),
    attempts: createAttempts(db),
    learnings: createLearnings(db),
    learningIndex: createLearningIndex(db),
    messages: createMessages(db),
    places: createPlaces(db, root),
    gaps: createGaps(db),
    outages: createOutages(db),
  };
}
