import { statSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { isLoopwrightError, LoopwrightError } from '../../core/error.ts';
import type { Random } from '../../ports/clock.ts';
import { monotonicMs } from '../clock/monotonic.ts';
import { createRandom } from '../clock/seeded-random.ts';
import { sqliteCode, storeError } from './store-error.ts';
import { pause } from '../clock/timer.ts';

/** Another program that has the file for itself for a while (a backup, a browser of databases) is no reason to give work up. */
const defaultBusyTimeoutMs = 60_000;

/** How long SQLite waits by itself, while nothing else happens in the process: for short work, and while there is other work. */
const blockingMs = 5000;
const brieflyBlockingMs = 250;

/** So long a wait is nothing to speak of. */
const silentMs = 2000;

/** A log that a long reader let grow is cut back to this at the next checkpoint. */
const logBytes = 4 * 1024 * 1024;

/** SQLite's own 2 MB hold neither the postings a search reads nor the pages an import changes. */
const cacheKiB = 32 * 1024;

export type ConnectionOptions = {
  /** `read` refuses every change. */
  readonly mode: 'write' | 'read';
  /** How long a transaction, or the opening, waits for another program. */
  readonly busyTimeoutMs?: number;
  /** Told once per wait that takes a while. */
  readonly onLocked?: (text: string) => void;
};

export type QueryOutcome = {
  readonly rows: readonly unknown[];
  readonly changes: number | bigint;
};

type Prepared = { readonly statement: StatementSync; readonly returnsRows: boolean };

const maxPrepared = 500;

/** SQLITE_READONLY without a variant: what `query_only` answers. */
const readOnlyCode = 8;

/** One connection to the database file. Its errors are the store's own. */
export class Connection implements Disposable {
  readonly file: string;
  readonly #database: DatabaseSync;
  readonly #mode: 'write' | 'read';
  readonly #identity: string;
  readonly #options: ConnectionOptions;
  /** The log and its index; null until SQLite has made them. */
  #beside: Beside | null;
  readonly #prepared = new Map<string, Prepared>();

  /** Waits for a program that has the file for itself alone. */
  static open(file: string, options: ConnectionOptions): Promise<Connection> {
    const { busyTimeoutMs = brieflyBlockingMs } = options;
    const blocking = Math.min(busyTimeoutMs, brieflyBlockingMs);
    return patiently(file, options, () => new Connection(file, options, blocking));
  }

  constructor(file: string, options: ConnectionOptions, timeoutMs = blockingMs) {
    this.file = file;
    this.#mode = options.mode;
    this.#options = options;
    try {
      this.#database = openDatabase(file, options.mode, timeoutMs);
    } catch (error) {
      throw storeError(error, file);
    }
    this.#identity = identityOf(file);
    this.#beside = besideOf(file);
  }

  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  /** Runs one statement, prepared once. */
  run(sql: string, parameters: readonly unknown[] = []): QueryOutcome {
    try {
      const { statement, returnsRows } = this.#prepare(sql);
      const values = parameters.map(inputValue);
      // The rows of SQLite have no prototype, which surprises whoever compares or prints them.
      if (returnsRows) return { rows: statement.all(...values).map(toPlain), changes: 0 };
      return { rows: [], changes: statement.run(...values).changes };
    } catch (error) {
      throw this.#explain(error);
    }
  }

  /** Runs a script of several statements. */
  execute(sql: string): void {
    try {
      this.#database.exec(sql);
    } catch (error) {
      throw storeError(error, this.file);
    }
  }

  pragma(name: string): unknown {
    const [row] = this.run(`pragma ${name}`).rows;
    return typeof row === 'object' && row !== null ? Object.values(row)[0] : undefined;
  }

  /** Takes the write lock. */
  async beginImmediate(): Promise<void> {
    this.assertInPlace();
    await patiently(this.file, this.#options, () => this.run('begin immediate'));
  }

  /** Takes a snapshot: what follows waits for nobody. */
  async beginRead(): Promise<void> {
    await patiently(this.file, this.#options, () => {
      this.run('begin');
      try {
        this.run('select 1 from sqlite_schema limit 1');
      } catch (error) {
        this.run('rollback');
        throw error;
      }
    });
  }

  /** From here on SQLite waits for nothing by itself: for a user that begins every transaction as above. */
  endBusyWaiting(): void {
    this.execute('pragma busy_timeout = 0');
  }

  /** Of the file and its log; 0 for a log that is not there. */
  get inodes(): { readonly file: number; readonly log: number } {
    return { file: inodeOf(this.#identity), log: inodeOf(this.#beside?.log ?? '') };
  }

  /** How many rows were changed through this connection. */
  totalChanges(): number {
    const [row] = this.run('select total_changes() as changes').rows;
    return typeof row === 'object' && row !== null && 'changes' in row ? Number(row.changes) : 0;
  }

  /** SQLite goes on writing into deleted files; what it acknowledges then is lost. */
  assertInPlace(): void {
    if (identityOf(this.file) !== this.#identity) {
      const text = `${this.file} was moved, deleted or replaced while it was in use`;
      throw this.#gone(
        text,
        'Start again where the project is now, or put the file back; what was stored is not in a new file. The branches of loops are kept by git.',
      );
    }
    const beside = besideOf(this.file);
    this.#beside ??= beside;
    const isSame = beside?.log === this.#beside?.log && beside?.index === this.#beside?.index;
    if (isSame) return;
    const text = `${this.file}-wal or ${this.file}-shm was deleted or replaced while it was in use`;
    throw this.#gone(
      text,
      this.#saveLog()
        ? 'Nothing is lost: everything stored is in the store itself. Start again to go on.'
        : 'Put the file back if you have it. Else what was stored last may be lost; starting again says what.',
    );
  }

  /** Whether everything that was stored is where the next process looks for it: a deleted log is written into the file first. */
  #saveLog(): boolean {
    const log = identityOf(`${this.file}-wal`);
    // A log that somebody has put there is another one: nothing of it is known here.
    if (log !== 'gone') return log === this.#beside?.log;
    try {
      const [row] = this.run('pragma wal_checkpoint(passive)').rows;
      const [busy, pages, moved] =
        typeof row === 'object' && row !== null ? Object.values(row) : [];
      return busy === 0 && pages === moved;
    } catch {
      // The error that is about to be thrown says what follows.
      return false;
    }
  }

  #gone(text: string, hint: string): LoopwrightError {
    return new LoopwrightError('store.gone', text, { hint, details: { file: this.file } });
  }

  #explain(error: unknown): unknown {
    if (this.#mode === 'read' && sqliteCode(error) === readOnlyCode) {
      const text = 'a read transaction tried to change the store';
      return new LoopwrightError('store.read_transaction', text, { cause: error });
    }
    return storeError(error, this.file);
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    const prepared = { statement, returnsRows: statement.columns().length > 0 };
    if (this.#prepared.size >= maxPrepared) this.#prepared.clear();
    this.#prepared.set(sql, prepared);
    return prepared;
  }

  [Symbol.dispose](): void {
    this.#prepared.clear();
    if (this.#database.isOpen) this.#database.close();
  }
}

/**
 * Tries until no other program is in the way. Waits without blocking the event loop, and with jitter, because SQLite's own busy
 * handler does neither and starves some of many waiters.
 */
async function patiently<T>(
  file: string,
  { busyTimeoutMs = defaultBusyTimeoutMs, onLocked }: ConnectionOptions,
  attempt: () => T,
): Promise<T> {
  const began = monotonicMs();
  let isTold = false;
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      const waitedMs = monotonicMs() - began;
      if (!isLoopwrightError(error) || error.code !== 'store.locked' || waitedMs >= busyTimeoutMs)
        throw error;
      if (!isTold && waitedMs >= silentMs) {
        isTold = true;
        onLocked?.(`${error.message}; waiting for it`);
      }
    }
    await pause(1 + random.next() * 15);
  }
}

const random: Random = createRandom();

function toPlain(row: object): object {
  return { ...row };
}

function inputValue(value: unknown): SQLInputValue {
  if (value === null || value instanceof Uint8Array) return value;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') {
    return value;
  }
  throw new LoopwrightError('store.failed', `a value of type ${typeof value} cannot be stored`);
}

function openDatabase(file: string, mode: 'write' | 'read', timeout: number): DatabaseSync {
  const database = new DatabaseSync(file, { timeout });
  try {
    database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on');
    database.exec(`pragma journal_size_limit = ${logBytes}; pragma cache_size = -${cacheKiB}`);
    if (mode === 'read') database.exec('pragma query_only = on');
    assertPragma(database, file, 'journal_mode', 'wal');
    assertPragma(database, file, 'synchronous', 2);
    assertPragma(database, file, 'foreign_keys', 1);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** A build or a file system may ignore a pragma silently. */
function assertPragma(database: DatabaseSync, file: string, name: string, expected: unknown): void {
  const value = database.prepare(`pragma ${name}`).get()?.[name];
  if (value === expected) return;
  throw new LoopwrightError(
    'store.unsafe',
    `${file}: SQLite keeps ${name} at ${String(value)} instead of ${String(expected)}`,
    { hint: 'Keep the database on a local disk.', details: { file, pragma: name } },
  );
}

function identityOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats === undefined ? 'gone' : `${stats.dev}:${stats.ino}`;
}

function inodeOf(identity: string): number {
  return Number(identity.split(':')[1] ?? 0);
}

type Beside = { readonly log: string; readonly index: string };

/** Which log and which index lie beside a database; null when one of them is not there. */
function besideOf(file: string): Beside | null {
  const log = identityOf(`${file}-wal`);
  const index = identityOf(`${file}-shm`);
  return log === 'gone' || index === 'gone' ? null : { log, index };
}
