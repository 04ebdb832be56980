import { stat } from 'node:fs/promises';
import { createSystemClock } from '../../adapters/clock/system-clock.ts';
import { createSupervisor } from '../../adapters/process/supervisor.ts';
import { backupsOf } from '../../adapters/sqlite/backup-files.ts';
import { Connection } from '../../adapters/sqlite/connection.ts';
import { afterRestore } from '../../adapters/sqlite/store-error.ts';
import { openStore } from '../../adapters/sqlite/store.ts';
import { refuseLostStore } from '../../daemon/lost-store.ts';
import { isResting } from '../../core/loop/status.ts';
import type { Store } from '../../ports/store.ts';
import type { KnownLoops } from '../../ports/workspace.ts';
import { plural } from '../render/format.ts';
import { fail, ok, warn, type Check } from './doctor-check.ts';
import { checkRecords } from './doctor-records.ts';

export type StoreChecks = {
  readonly checks: readonly Check[];
  /** Ids of every stored loop; null when the store could not be read, has lost some, or there is none. */
  readonly loops: ReadonlySet<string> | null;
  /** The same for those who repair worktrees: where each loop works, and which are driven now. */
  readonly places: LoopPlaces | null;
};

export type LoopPlaces = Omit<KnownLoops, 'folder'>;

const noPlaces: LoopPlaces = { find: async () => null, isDriven: async () => false };

/** Opens the store as every command does, if there is one. Throws what keeps it from opening. */
export async function checkStore(
  file: string,
  stateDir: string,
  isFix: boolean,
): Promise<StoreChecks> {
  if (/^postgres(ql)?:/.test(file)) {
    const check = fail(
      'store',
      'a PostgreSQL store is configured, but this version has only SQLite',
      'remove `store` from the configuration',
    );
    return { checks: [check], loops: null, places: null };
  }
  refuseLostStore(file, stateDir);
  if ((await stat(file).catch(() => null)) === null) {
    const check = ok('store', 'none yet; the first task or run makes it');
    return { checks: [check], loops: new Set(), places: noPlaces };
  }
  await using store = await openStore(file);
  const rows = await store.read((tx) => tx.loops.list({}));
  const { check, driven } = await checkOwners(store);
  const loops = new Set(rows.map(({ id }) => id));
  const gap = await checkGap(store);
  const checks = [
    inspectFile(file),
    ...gap,
    ...(await checkRecords(store, [...loops], isFix)),
    check,
  ];
  // Loops that it has lost are not known to it, and what they left must not be called an orphan.
  if (gap.length > 0) return { checks, loops: null, places: null };
  return { checks, loops, places: placesOf(file, loops, driven) };
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

/** Few loops are asked for, so each is read when it is. */
function placesOf(
  file: string,
  loops: ReadonlySet<string>,
  driven: ReadonlySet<string>,
): LoopPlaces {
  return {
    async find(id) {
      if (!loops.has(id)) return null;
      await using store = await openStore(file);
      const loop = await store.read((tx) => tx.loops.get(id));
      if (loop === null || loop.workspace.mode !== 'worktree') return null;
      const { path, branch } = loop.workspace;
      return { path, branch, isOpen: !isResting(loop.status) };
    },
    isDriven: async (id) => driven.has(id),
  };
}

type Owners = { readonly check: Check; readonly driven: ReadonlySet<string> };

/** Loops that should be driven and are not, and those that are. */
async function checkOwners(store: Store): Promise<Owners> {
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
  const driven = new Set<string>();
  for (const { loopId, session } of entries) {
    const isDriven =
      session !== null && session.endedAt === null && (await supervisor.isAlive(session.process));
    if (isDriven) driven.add(loopId);
    else left.push(loopId);
  }
  return { check: ownersCheck(left, entries.length), driven };
}

function ownersCheck(left: readonly string[], count: number): Check {
  if (left.length === 0) {
    return ok(
      'loops',
      count === 0 ? 'none is running' : `${count} running, each with a living owner`,
    );
  }
  return warn(
    'loops',
    `${left.slice(0, 5).join(', ')} ${left.length === 1 ? 'was' : 'were'} left by a process that is gone`,
    '`loopwright run` takes over where it stopped',
  );
}
