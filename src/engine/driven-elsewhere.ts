import type { Session } from '../ports/store.ts';
import type { Engine } from './engine.ts';
import { hasLivingOwner } from './session.ts';

/** A loop that somebody else drives now. */
export type DrivenElsewhere = { readonly loopId: string; readonly session: Session };

export async function drivenElsewhere(engine: Engine): Promise<readonly DrivenElsewhere[]> {
  const entries = await engine.store.read((tx) => tx.queue.entries());
  const driven: DrivenElsewhere[] = [];
  for (const entry of entries) {
    const { loopId, owner } = entry;
    if (owner === null || !(await hasLivingOwner(engine, entry))) continue;
    const session = await engine.store.read((tx) => tx.sessions.get(owner));
    if (session !== null) driven.push({ loopId, session });
  }
  return driven;
}
