import { stat } from 'node:fs/promises';
import { createSystemClock } from '../../adapters/clock/system-clock.ts';
import { createSupervisor } from '../../adapters/process/supervisor.ts';
import { backupsOf } from '../../adapters/sqlite/backup-files.ts';
import { Connection } from '../../adapters/sqlite/connection.ts';
import { afterRestore } from '../../adapters/sqlite/store-error.ts';
import { openStore } from '../../adapters/sqlite/store.ts';
import { refuseLostStore } from '../../daemon/lost-store.ts';
import type { LoopRow, Store } from '../../ports/store.ts';
import { plural } from '../render/format.ts';
import { fail, ok, warn, type Check } from './doctor-check.ts';

export type StoreChecks = {
  readonly checks: readonly Check[];
  /** Ids of every stored loop; null when the store could not be read or there is none. */
  readonly loops: ReadonlySet<string> | null;
};

const recentLoops = 20;

/** Opens the store as every command does, if there is one. Throws what keeps it from opening. */
export async function checkStore(file: string, stateDir: string): Promise<StoreChecks> {
  if (/^postgres(ql)?:/.test(file)) {
    const check = fail(
      'store',
      'a PostgreSQL store is configured, but this version has only SQLite',
      'remove `store` from the configuration',
    );
    return { checks: [check], loops: null };
  }
  refuseLostStore(file, stateDir);
  if ((await stat(file).catch(() => null)) === null) {
    return { checks: [ok('store', 'none yet; the first task or run makes it')], loops: new Set() };
  }
  await using store = await openStore(file);
  const rows = await store.read((tx) => tx.loops.list({}));
  return {
    checks: [
      inspectFile(file),
      ...(await checkGap(store)),
      await checkChains(store, rows),
      await checkOwners(store),
    ],
    loops: new Set(rows.map(({ id }) => id)),
  };
}

function inspectFile(file: string): Check {
  using connection = new Connection(file, { mode: 'read' });
  const answer = connection.pragma('quick_check');
  if (answer !== 'ok') {
    return fail(
      'store',
      `${file} is damaged: ${String(answer)}`,
      `stop every loop, then move it away with its -wal and -shm files, and copy a backup into its place: ${backupsOf(file).join(', ') || 'there is none'}. ${afterRestore}`,
    );
  }
  const [row] = connection.run('select max(version) as version from schema_migrations').rows;
  const version = typeof row === 'object' && row !== null ? Object.values(row)[0] : '?';
  return ok('store', `${file}, intact, schema ${String(version)}`);
}

/** What a run would refuse to start for, once. */
async function checkGap(store: Store): Promise<readonly Check[]> {
  const lost = await store.read((tx) => tx.gaps.untold());
  if (lost === 0) return [];
  return [
    fail(
      'changes',
      `${plural(lost, 'change')} that had been stored are not in the store: it was put back from a copy, or its -wal file was deleted`,
      'put the newer store back if you have it; else `loopwright run` names what is lost, and goes on when you run it again',
    ),
  ];
}

async function checkChains(store: Store, rows: readonly LoopRow[]): Promise<Check> {
  const recent = rows.slice(0, recentLoops);
  for (const { id } of recent) {
    const broken = await store.read((tx) => tx.loops.verifyChain(id));
    if (broken !== null) {
      return fail(
        'history',
        `the log of ${id} was changed at event ${broken}`,
        `do not trust that loop; \`loopwright events ${id}\` shows what is stored`,
      );
    }
  }
  const text =
    recent.length === 0
      ? 'no loops yet'
      : `the logs of the last ${plural(recent.length, 'loop')} are unbroken`;
  return ok('history', text);
}

/** Loops that should be driven and are not. */
async function checkOwners(store: Store): Promise<Check> {
  await using supervisor = createSupervisor({ clock: createSystemClock() });
  const entries = await store.read(async (tx) => {
    const queued = await tx.queue.entries();
    return Promise.all(
      queued.map(async ({ loopId, owner }) => ({
        loopId,
        session: owner === null ? null : await tx.sessions.get(owner),
      })),
    );
  });
  const left: string[] = [];
  for (const { loopId, session } of entries) {
    const isDriven =
      session !== null && session.endedAt === null && (await supervisor.isAlive(session.process));
    if (!isDriven) left.push(loopId);
  }
  if (left.length === 0) {
    return ok(
      'loops',
      entries.length === 0
        ? 'none is running'
        : `${entries.length} running, each with a living owner`,
    );
  }
  return warn(
    'loops',
    `${left.slice(0, 5).join(', ')} ${left.length === 1 ? 'was' : 'were'} left by a process that is gone`,
    '`loopwright run` takes over where it stopped',
  );
}
