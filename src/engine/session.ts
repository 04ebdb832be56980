import type { Lease } from '../ports/lease.ts';
import type { ProcessIdentity } from '../ports/process.ts';
import type { QueueEntry } from '../ports/queue.ts';
import type { Session, StoreTx } from '../ports/store.ts';
import { endLeftAsides } from './aside-record.ts';
import { endLeftPrograms } from './end-left-programs.ts';
import type { Engine } from './engine.ts';
import { refuseOlderStore } from './older-store.ts';
import { removeLeftRooms } from './room.ts';
import { settleMoves } from './settle-moves.ts';

/** One `run` or one daemon lifetime: the owner of the loops it drives. */
export async function startSession(engine: Engine, kind: Session['kind']): Promise<Session> {
  const session = await newSession(engine, kind);
  if (kind !== 'command') await refuseOlderStore(engine);
  await engine.reach('before:start-session');
  await engine.store.write((tx) => tx.sessions.start(session));
  await engine.reach('after:start-session');
  if (kind !== 'command') {
    await settleMoves(engine);
    await endLeftAsides(engine);
    await endLeftPrograms(engine);
    await removeLeftRooms(engine);
  }
  return session;
}

/** A session of this process that is not stored yet. */
export async function newSession(engine: Engine, kind: Session['kind']): Promise<Session> {
  return {
    id: `s-${engine.ids.token().slice(0, 12)}`,
    kind,
    process: await engine.supervisor.self(),
    version: engine.version,
    startedAt: engine.clock.now(),
    endedAt: null,
  };
}

export async function endSession(engine: Engine, session: Session): Promise<void> {
  await engine.reach('before:end-session');
  await engine.store.write((tx) => tx.sessions.end(session.id, engine.clock.now()));
  await engine.reach('after:end-session');
}

/** A lease that begins now. */
export async function leaseOf(tx: StoreTx, lengthMs: number): Promise<Lease> {
  const now = await tx.leaseTime();
  return { now, until: now + lengthMs };
}

/**
 * Whether a loop is driven or held now: its lease has not ended, and its owner's process is not known to be gone. A process of
 * another boot of this machine is gone; one that was stopped for longer than its lease is as good as gone.
 */
export async function hasLivingOwner(
  engine: Engine,
  { owner, leaseUntil }: QueueEntry,
): Promise<boolean> {
  if (owner === null || leaseUntil === null) return false;
  const now = await engine.store.read((tx) => tx.leaseTime());
  return leaseUntil > now && isSessionAlive(engine, owner);
}

/** Whether the process behind a session id still lives. A session that is not stored is gone. */
export async function isSessionAlive(engine: Engine, sessionId: string): Promise<boolean> {
  const session = await engine.store.read((tx) => tx.sessions.get(sessionId));
  if (session === null || session.endedAt !== null) return false;
  return engine.supervisor.isAlive(session.process);
}

/**
 * What lets a claim push an owner aside whose process is gone, however long its lease lasts; nothing while it lives. A command of
 * this very process that held something for the run that follows hands it over.
 */
export async function takeOverFrom(
  engine: Engine,
  session: Session,
  owner: string | null,
): Promise<{ readonly takeOver?: string }> {
  if (owner === null || owner === session.id) return {};
  const other = await engine.store.read((tx) => tx.sessions.get(owner));
  const isOurs = other?.kind === 'command' && isSameProcess(other.process, session.process);
  return !isOurs && (await isSessionAlive(engine, owner)) ? {} : { takeOver: owner };
}

function isSameProcess(a: ProcessIdentity, b: ProcessIdentity): boolean {
  const keys = ['pid', 'startTime', 'bootId', 'host'] as const;
  return keys.every((key) => a[key] === b[key]);
}
