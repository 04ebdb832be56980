import { statSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { LoopwrightError } from '../../core/error.ts';
import type { Random } from '../../ports/clock.ts';
import { monotonicMs } from '../clock/monotonic.ts';
import { createRandom } from '../clock/seeded-random.ts';
import { isBusy, sqliteCode, storeError } from './store-error.ts';

const defaultBusyTimeoutMs = 5000;

/** A log that a long reader let grow is cut back to this at the next checkpoint. */
const logBytes = 4 * 1024 * 1024;

/** SQLite's own 2 MB hold neither the postings a search reads nor the pages an import changes. */
const cacheKiB = 32 * 1024;

export type ConnectionOptions = {
  /** `read` refuses every change. */
  readonly mode: 'write' | 'read';
  readonly busyTimeoutMs?: number;
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
  readonly #busyTimeoutMs: number;
  readonly #random: Random = createRandom();
  readonly #prepared = new Map<string, Prepared>();
  #isBusyWaiting = true;

  constructor(file: string, options: ConnectionOptions) {
    this.file = file;
    this.#mode = options.mode;
    this.#busyTimeoutMs = options.busyTimeoutMs ?? defaultBusyTimeoutMs;
    try {
      this.#database = openDatabase(file, options.mode, this.#busyTimeoutMs);
    } catch (error) {
      throw storeError(error, file);
    }
    this.#identity = identityOf(file);
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

  /**
   * Takes the write lock. Waits without blocking the event loop, and with jitter, because SQLite's own busy
   * handler does neither and starves some of many waiters.
   */
  async beginImmediate(): Promise<void> {
    this.assertInPlace();
    const deadline = monotonicMs() + this.#busyTimeoutMs;
    for (;;) {
      const error = this.#tryBegin();
      if (error === null) return;
      if (!isBusy(error) || monotonicMs() >= deadline) throw storeError(error, this.file);
      await sleep(1 + this.#random.next() * 15);
    }
  }

  /** From here on SQLite waits for nothing by itself: for a user that takes the write lock before all it does. */
  endBusyWaiting(): void {
    this.execute('pragma busy_timeout = 0');
    this.#isBusyWaiting = false;
  }

  #tryBegin(): unknown {
    if (this.#isBusyWaiting) this.#database.exec('pragma busy_timeout = 0');
    try {
      this.#prepare('begin immediate').statement.run();
      return null;
    } catch (error) {
      return error;
    } finally {
      if (this.#isBusyWaiting) this.#database.exec(`pragma busy_timeout = ${this.#busyTimeoutMs}`);
    }
  }

  /** SQLite goes on writing into a deleted file; what it acknowledges then is lost. */
  assertInPlace(): void {
    if (identityOf(this.file) === this.#identity) return;
    throw new LoopwrightError(
      'store.gone',
      `${this.file} was moved, deleted or replaced while it was in use`,
      {
        hint: 'Start again where the project is now, or put the file back; what was stored is not in a new file. The branches of loops are kept by git.',
        details: { file: this.file },
      },
    );
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
