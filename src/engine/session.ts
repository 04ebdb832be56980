import type { Session } from '../ports/store.ts';
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
  await engine.store.write((tx) => tx.sessions.start(session));
  return session;
}

export async function endSession(engine: Engine, session: Session): Promise<void> {
  await engine.store.write((tx) => tx.sessions.end(session.id, engine.clock.now()));
}

/** Whether the process behind a session id still lives. A session nobody knows is gone. */
export async function isSessionAlive(engine: Engine, sessionId: string): Promise<boolean> {
  const session = await engine.store.read((tx) => tx.sessions.get(sessionId));
  if (session === null || session.endedAt !== null) return false;
  return engine.supervisor.isAlive(session.process);
}
