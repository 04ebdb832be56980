import type { Engine } from '../engine/engine.ts';
import { endSession, startSession } from '../engine/session.ts';
import type { Session } from '../ports/store.ts';

/** Runs work that changes a loop under a session of its own, ended whatever happens. */
export async function withSession<T>(
  engine: Engine,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const session = await startSession(engine, 'command');
  try {
    return await work(session);
  } finally {
    await endSession(engine, session);
  }
}
