import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { LoopwrightError } from '../../core/error.ts';
import type { Connection } from './connection.ts';
import type { Migration } from './migrations.ts';
import { makeBackup } from './store-backup.ts';
import { foreignDatabase } from './store-error.ts';

/**
 * Brings the database to the newest version, in one transaction: killed anywhere, it leaves the old version or the new one.
 * A backup of the old one is made first. Several processes may do this at once; one works, the others wait and find it done.
 */
export async function migrate(
  connection: Connection,
  migrations: readonly Migration[],
): Promise<void> {
  const from = versionOf(connection);
  refuseNewer(connection.file, from, migrations.length);
  if (from === migrations.length) return;
  await applyMissing(connection, migrations);
  refuseNewer(connection.file, versionOf(connection), migrations.length);
}

/**
 * Refuses a database of a newer Loopwright before anything opens it for writing: not even its log is folded
 * back into it. Everything else that may be wrong with the file is found by the opening that follows.
 */
export function refuseNewerUntouched(file: string, newest: number): void {
  const version = peekVersion(file);
  if (version !== null) refuseNewer(file, version, newest);
}

function refuseNewer(file: string, version: number, newest: number): void {
  if (version <= newest) return;
  throw new LoopwrightError(
    'store.newer',
    `${file} was made by a newer Loopwright (schema ${version}, this one knows ${newest})`,
    {
      hint: 'Use the newer version, or another folder. The database was not touched.',
      details: { file, version, newest },
    },
  );
}

async function applyMissing(
  connection: Connection,
  migrations: readonly Migration[],
): Promise<void> {
  // Rebuilding a table drops the old one, which would cascade. The check below replaces the enforcement.
  connection.execute('pragma foreign_keys = off');
  try {
    await connection.beginImmediate();
    const from = versionOf(connection);
    const missing = migrations.slice(from);
    if (missing.length === 0) return;
    // Nothing is written yet, and nobody else can: the copy is exactly what is to be kept.
    if (from > 0) makeBackup(connection.file, from);
    for (const migration of missing) {
      connection.execute(migration.sql());
      assertReferences(connection, migration);
      recordMigration(connection, migration);
    }
    connection.run('commit');
  } finally {
    if (connection.inTransaction) connection.run('rollback');
    connection.execute('pragma foreign_keys = on');
  }
}

function recordMigration(connection: Connection, { version, name }: Migration): void {
  connection.execute(
    'create table if not exists schema_migrations (version integer primary key, name text not null, applied_at bigint not null)',
  );
  connection.run(
    "insert into schema_migrations values (?, ?, cast(unixepoch('subsec') * 1000 as integer))",
    [version, name],
  );
}

function assertReferences(connection: Connection, migration: Migration): void {
  const broken = connection.run('pragma foreign_key_check').rows.length;
  if (broken === 0) return;
  throw new LoopwrightError(
    'store.migrations',
    `migration ${migration.name} would leave ${broken} rows without what they refer to`,
    { hint: 'The database is unchanged; go on with the version that made it and report this.' },
  );
}

function versionOf(connection: Connection): number {
  const tables = connection.run("select name from sqlite_schema where type = 'table'").rows;
  if (tables.length === 0) return 0;
  const isOurs = tables.some((row) => field(row, 'name') === 'schema_migrations');
  if (!isOurs) throw foreignDatabase(connection.file);
  const [row] = connection.run('select max(version) as version from schema_migrations').rows;
  return Number(field(row, 'version') ?? 0);
}

/** Reads the version without creating, changing or checkpointing anything; null when it cannot be read so. */
function peekVersion(file: string): number | null {
  if (!hasContent(file)) return null;
  const url = pathToFileURL(file);
  // Without a log the file alone is the database; `immutable` then leaves no `-wal` and `-shm` behind.
  if (!hasContent(`${file}-wal`)) url.searchParams.set('immutable', '1');
  try {
    const database = new DatabaseSync(url, { readOnly: true });
    try {
      const row = database.prepare('select max(version) as version from schema_migrations').get();
      return Number(row?.['version'] ?? 0);
    } finally {
      database.close();
    }
  } catch {
    // Damaged, locked, foreign or mid-write: the ordinary opening that follows says which.
    return null;
  }
}

function hasContent(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function field(row: unknown, name: string): unknown {
  return typeof row === 'object' && row !== null ? Reflect.get(row, name) : undefined;
}
