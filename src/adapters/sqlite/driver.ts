import {
  CompiledQuery,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
} from 'kysely';
import { LoopwrightError } from '../../core/error.ts';
import type { Connection } from './connection.ts';
import type { Db, Database } from './schema.ts';

/**
 * Kysely over one connection, which it owns from here on: `destroy` closes it. Users of one instance take turns.
 * A `write` transaction holds the write lock from its beginning; a `read` transaction sees one snapshot.
 */
export function createDb(connection: Connection, mode: 'write' | 'read'): Db {
  const dialect: Dialect = {
    createDriver: () => new SqliteDriver(connection, mode),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
  return new Kysely<Database>({ dialect });
}

class SqliteDriver implements Driver {
  readonly #connection: Connection;
  readonly #mode: 'write' | 'read';

  constructor(connection: Connection, mode: 'write' | 'read') {
    this.#connection = connection;
    this.#mode = mode;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<Turn> {
    return new Turn(this.#connection);
  }

  async beginTransaction(turn: Turn): Promise<void> {
    if (this.#mode === 'write') await this.#connection.beginImmediate();
    else this.#connection.run('begin');
    turn.began = true;
  }

  async commitTransaction(turn: Turn): Promise<void> {
    await turn.executeQuery(CompiledQuery.raw('commit'));
  }

  async rollbackTransaction(): Promise<void> {
    // A full disk and some other failures make SQLite roll back by itself.
    if (this.#connection.inTransaction) this.#connection.run('rollback');
  }

  async releaseConnection(turn: Turn): Promise<void> {
    turn.ended = true;
  }

  async destroy(): Promise<void> {
    this.#connection[Symbol.dispose]();
  }
}

/** The connection in the hands of one user. Dead once it is given back, so that a kept one harms nobody. */
class Turn implements DatabaseConnection {
  readonly #connection: Connection;
  began = false;
  ended = false;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    this.#assertUsable();
    const { rows, changes } = this.#connection.run(query.sql, query.parameters);
    // Kysely's own types say what the rows of its query are.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return { rows: rows as R[], numAffectedRows: BigInt(changes) };
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new LoopwrightError('store.failed', 'streamed queries are not supported; page instead');
  }

  #assertUsable(): void {
    if (this.ended) {
      throw new LoopwrightError('store.transaction_over', 'a query was sent after its transaction');
    }
    if (this.began && !this.#connection.inTransaction) {
      throw new LoopwrightError('store.rolled_back', 'the transaction was already rolled back');
    }
  }
}
