import { LoopwrightError } from '../../core/error.ts';
import type { Connection } from './connection.ts';
import type { Db } from './schema.ts';
import type { Sql } from './sql.ts';
import type { ChangeCount } from './store-mark.ts';

/**
 * The transactions of one connection, which it owns from here on. They take turns.
 * A `write` transaction holds the write lock from its beginning; a `read` transaction sees one snapshot.
 */
export class Transactions implements AsyncDisposable {
  readonly #connection: Connection;
  readonly #mode: 'write' | 'read';
  readonly #changes: ChangeCount | null;
  #last: Promise<unknown> = Promise.resolve();

  /** `changes` is told of every transaction that changed something, and closed with the connection. */
  constructor(connection: Connection, mode: 'write' | 'read', changes: ChangeCount | null = null) {
    this.#connection = connection;
    this.#mode = mode;
    this.#changes = changes;
    connection.endBusyWaiting();
  }

  /** Commits what `work` did; undoes all of it when `work` throws. */
  run<T>(work: (db: Db) => Promise<T>): Promise<T> {
    const turn = this.#last.then(() => this.#transact(work));
    // Whoever comes next waits for the end of it, not for its success.
    this.#last = turn.catch(() => {});
    return turn;
  }

  async #transact<T>(work: (db: Db) => Promise<T>): Promise<T> {
    const connection = this.#connection;
    if (this.#mode === 'write') await connection.beginImmediate();
    else await connection.beginRead();
    const turn = new Turn(connection);
    try {
      const before = this.#changes === null ? 0 : connection.totalChanges();
      const result = await work(turn);
      turn.assertUsable();
      const isChanged = this.#changes !== null && connection.totalChanges() !== before;
      const written = isChanged ? this.#changes?.count() : undefined;
      connection.run('commit');
      if (written !== undefined) this.#changes?.keep(written);
      // What is acknowledged is in a file that the next process finds.
      if (this.#mode === 'write') connection.assertInPlace();
      return result;
    } catch (error) {
      // A full disk and some other failures make SQLite roll back by itself.
      if (connection.inTransaction) connection.run('rollback');
      throw error;
    } finally {
      turn.end();
    }
  }

  /** Waits for the transactions that were begun. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#last;
    this.#changes?.[Symbol.dispose]();
    this.#connection[Symbol.dispose]();
  }
}

/** The connection in the hands of one transaction. Dead after it, so that a kept one harms nobody. */
class Turn implements Db {
  readonly #connection: Connection;
  #ended = false;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async all<Row>(query: Sql<Row>): Promise<readonly Row[]> {
    this.assertUsable();
    const { rows } = this.#connection.run(query.text, query.values);
    // The query says what its rows are.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return rows as readonly Row[];
  }

  async first<Row>(query: Sql<Row>): Promise<Row | undefined> {
    const [row] = await this.all(query);
    return row;
  }

  async one<Row>(query: Sql<Row>): Promise<Row> {
    const row = await this.first(query);
    if (row !== undefined) return row;
    throw new LoopwrightError('store.failed', `nothing was found by ${query.text}`);
  }

  async run(query: Sql): Promise<number> {
    this.assertUsable();
    return Number(this.#connection.run(query.text, query.values).changes);
  }

  assertUsable(): void {
    if (this.#ended) {
      throw new LoopwrightError('store.transaction_over', 'a query was sent after its transaction');
    }
    if (!this.#connection.inTransaction) {
      throw new LoopwrightError('store.rolled_back', 'the transaction was already rolled back');
    }
  }

  end(): void {
    this.#ended = true;
  }
}
