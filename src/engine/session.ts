import type { QueueEntry } from '../ports/queue.ts';
import type { Session } from '../ports/store.ts';
import { endLeftAsides } from './aside-record.ts';
import type { Engine } from './engine.ts';

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
  await engine.reach('before:start-session');
  await engine.store.write((tx) => tx.sessions.start(session));
  await engine.reach('after:start-session');
  if (kind !== 'command') await endLeftAsides(engine);
  return session;
}

export async function endSession(engine: Engine, session: Session): Promise<void> {
  await engine.reach('before:end-session');
  await engine.store.write((tx) => tx.sessions.end(session.id, engine.clock.now()));
  await engine.reach('after:end-session');
}

/** Whether somebody drives a loop now: a lease that has not ended, of a process that is not known to be gone. */
export async function hasLivingOwner(engine: Engine, entry: QueueEntry): Promise<boolean> {
  if (entry.owner === null || (entry.leaseUntil ?? 0) <= engine.clock.now()) return false;
  return isSessionAlive(engine, entry.owner);
}

/** Whether the process behind a session id still lives. A session nobody knows is gone. */
export async function isSessionAlive(engine: Engine, sessionId: string): Promise<boolean> {
  const session = await engine.store.read((tx) => tx.sessions.get(sessionId));
  if (session === null || session.endedAt !== null) return false;
  return engine.supervisor.isAlive(session.process);
}
