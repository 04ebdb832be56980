import { leaseHolds } from '../core/loop/lease.ts';
import type { QueueEntry } from '../ports/queue.ts';
import type { Session } from '../ports/store.ts';
import { endLeftAsides } from './aside-record.ts';
import { endLeftPrograms } from './end-left-programs.ts';
import type { Engine } from './engine.ts';
import { refuseOlderStore } from './older-store.ts';

/** One `run` or one daemon lifetime: the owner of the loops it drives. */
export async function startSession(engine: Engine, kind: Session['kind']): Promise<Session> {
  const session: Session = {
    id: `s-${engine.ids.token().slice(0, 12)}`,
    kind,
    process: await engine.supervisor.self(),
    version: engine.version,
    startedAt: engine.clock.now(),
    endedAt: null,
  };
  if (kind !== 'command') await refuseOlderStore(engine);
  await engine.reach('before:start-session');
  await engine.store.write((tx) => tx.sessions.start(session));
  await engine.reach('after:start-session');
  if (kind !== 'command') {
    await endLeftAsides(engine);
    await endLeftPrograms(engine);
  }
  return session;
}

export async function endSession(engine: Engine, session: Session): Promise<void> {
  await engine.reach('before:end-session');
  await engine.store.write((tx) => tx.sessions.end(session.id, engine.clock.now()));
  await engine.reach('after:end-session');
}

/** Whether somebody drives a loop now: a lease that has not ended, of a process that is not known to be gone. */
export async function hasLivingOwner(engine: Engine, entry: QueueEntry): Promise<boolean> {
  const { owner, leaseUntil } = entry;
  if (owner === null || leaseUntil === null) return false;
  const session = await engine.store.read((tx) => tx.sessions.get(owner));
  if (session === null || !(await isAlive(engine, session))) return false;
  const startedAt = await engine.supervisor.startedAt(session.process);
  const jumpMs = startedAt === null ? 0 : Math.max(startedAt - session.startedAt, 0);
  const lease = { until: leaseUntil, lengthMs: engine.leaseMs, jumpMs };
  return leaseHolds(lease, engine.clock.now());
}

/** Whether the process behind a session id still lives. A session nobody knows is gone. */
export async function isSessionAlive(engine: Engine, sessionId: string): Promise<boolean> {
  const session = await engine.store.read((tx) => tx.sessions.get(sessionId));
  return session !== null && isAlive(engine, session);
}

async function isAlive(engine: Engine, session: Session): Promise<boolean> {
  return session.endedAt === null && engine.supervisor.isAlive(session.process);
}
