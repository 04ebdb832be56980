import { LoopwrightError } from '../core/error.ts';
import type { Loop } from '../core/loop/loop.ts';
import { isResting } from '../core/loop/status.ts';
import type { NewRequest, Session } from '../ports/store.ts';
import { drive } from './drive.ts';
import type { Engine } from './engine.ts';
import { recordAtRest } from './resting-loop.ts';
import { hasLivingOwner } from './session.ts';
import { takeLoop } from './take-loop.ts';

export type RequestKind = NewRequest['kind'];

/** `asked`: its owner will do it. `done`: it was done here, nobody owned the loop. `already`: nothing to do. */
export type RequestAnswer = { readonly answer: 'asked' | 'done' | 'already'; readonly loop: Loop };

/** Asks a loop to pause, stop or be cancelled, wherever its owner is; a loop nobody owns is dealt with here. */
export async function requestLoop(
  engine: Engine,
  session: Session,
  loopId: string,
  kind: RequestKind,
  when: NewRequest['when'],
): Promise<RequestAnswer> {
  const { loop, entry } = await engine.store.read(async (tx) => ({
    loop: await tx.loops.get(loopId),
    entry: (await tx.queue.entries()).find((each) => each.loopId === loopId),
  }));
  if (loop === null) throw new LoopwrightError('loop.not_found', `there is no loop ${loopId}`);
  if (isResting(loop.status)) return changeRest(engine, session, loop, kind);
  if (entry !== undefined && (await hasLivingOwner(engine, entry))) {
    const asked = await askOwner(engine, { loopId, kind, when });
    return asked === null ? changeRest(engine, session, loop, kind) : asked;
  }
  await using taken = await takeLoop(engine, session, loopId, { why: `${kind} on request` });
  taken.request({ kind, when: 'cut' });
  return { answer: 'done', loop: await drive(engine, taken) };
}

/** Stored and checked in one transaction: a loop that has just come to rest is not asked. Null then. */
async function askOwner(
  engine: Engine,
  { loopId, kind, when }: Pick<NewRequest, 'loopId' | 'kind' | 'when'>,
): Promise<RequestAnswer | null> {
  const asked = await engine.store.write(async (tx) => {
    const loop = await tx.loops.get(loopId);
    if (loop === null || isResting(loop.status)) return null;
    await tx.requests.add({ id: engine.ids.token(), loopId, kind, when, now: engine.clock.now() });
    return loop;
  });
  if (asked === null) return null;
  await engine.wakeups.wake(loopId);
  return { answer: 'asked', loop: asked };
}

/** A resting loop can still be stopped for good or cancelled; an ended one stays as it is. */
async function changeRest(
  engine: Engine,
  session: Session,
  loop: Loop,
  kind: RequestKind,
): Promise<RequestAnswer> {
  const open = loop.status === 'paused' || loop.status === 'blocked';
  if (kind === 'pause' || (!open && kind !== 'cancel') || loop.status === 'complete') {
    return { answer: 'already', loop };
  }
  const reason = kind === 'cancel' ? 'cancelled' : 'user';
  const changed = await recordAtRest(
    engine,
    session,
    loop.id,
    { type: 'loop.rested', status: 'stopped', reason, text: `${kind} on request` },
    async (tx) => {
      const to = kind === 'cancel' ? 'cancelled' : 'paused';
      const task = await tx.tasks.get(loop.taskId);
      if (task !== null && task.status !== to) {
        await tx.tasks.transition(loop.taskId, to, {
          now: engine.clock.now(),
          reason: `loop ${kind}`,
        });
      }
    },
  );
  return { answer: 'done', loop: changed };
}
