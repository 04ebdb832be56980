import { LoopwrightError } from '../core/error.ts';
import type { LoopEvent } from '../core/loop/event.ts';
import type { Loop } from '../core/loop/loop.ts';
import { isResting } from '../core/loop/status.ts';
import type { QueueClaim } from '../ports/queue.ts';
import type { Session, StoreTx } from '../ports/store.ts';
import type { Engine } from './engine.ts';
import { readRecorded, tellDifference, type RecordedLoop } from './folded-loop.ts';
import { leaseOf, takeOverFrom } from './session.ts';
import { remember } from './remember.ts';

/** Long enough for a rebase and the checks of a merge; a crash gives the loop back at once, since its owner is gone. */
export const restLeaseMs = 3_600_000;

/** A loop at rest that is held for a change: nobody else changes or resumes it meanwhile. */
export type HeldLoop = AsyncDisposable & {
  readonly loop: Loop;
  /** Appends a fact; `work` joins its transaction. */
  record(event: LoopEvent, work?: Work): Promise<Loop>;
  /** Appends several facts, all or none. */
  recordAll(events: readonly LoopEvent[], work?: Work): Promise<Loop>;
  /** Something is left to do that the next run shall find. */
  leaveInQueue(): void;
};

type Work = (tx: StoreTx) => Promise<void>;

/** Holds a resting loop until disposed. Refused when it is being driven or held by somebody else. */
export async function holdAtRest(
  engine: Engine,
  session: Session,
  loopId: string,
): Promise<HeldLoop> {
  await engine.reach('before:hold-loop');
  const entries = await engine.store.read((tx) => tx.queue.entries());
  const left = entries.find((entry) => entry.loopId === loopId);
  const gone = await takeOverFrom(engine, session, left?.owner ?? null);
  const { claim, recorded: read } = await engine.store.write((tx) =>
    claimAtRest(tx, session, loopId, gone),
  );
  const { loop } = read;
  tellDifference(engine, read);
  await engine.reach('after:hold-loop');
  let current = loop;
  let isLeft = false;
  const recordAll: HeldLoop['recordAll'] = async (events, work) => {
    for (const { type } of events) await engine.reach(`before:${type}`);
    const { loop: changed, recorded } = await engine.store.write(async (tx) => {
      const input = { loop: current, token: claim.token, time: engine.clock.now(), elapsedMs: 0 };
      const appended = await tx.loops.append({ ...input, events });
      await remember(engine, tx, appended.loop, events);
      await work?.(tx);
      return appended;
    });
    current = changed;
    for (const each of recorded)
      engine.publish({ kind: 'recorded', loop: changed, recorded: each });
    for (const { type } of events) await engine.reach(`after:${type}`);
    return changed;
  };
  return {
    loop,
    record: (event, work) => recordAll([event], work),
    recordAll,
    leaveInQueue() {
      isLeft = true;
    },
    async [Symbol.asyncDispose]() {
      await engine.reach('before:release-loop');
      await engine.store.write(async (tx) =>
        isLeft ? tx.queue.release(claim, await tx.leaseTime()) : tx.queue.complete(claim),
      );
      await engine.reach('after:release-loop');
    },
  };
}

async function claimAtRest(
  tx: StoreTx,
  session: Session,
  loopId: string,
  gone: { readonly takeOver?: string },
): Promise<{ claim: QueueClaim; recorded: RecordedLoop }> {
  const recorded = await readRecorded(tx, loopId);
  if (recorded === null) {
    throw new LoopwrightError('loop.not_found', `there is no loop ${loopId}`);
  }
  const { loop } = recorded;
  if (!isResting(loop.status)) {
    throw new LoopwrightError('loop.running', `${loopId} is ${loop.status}`, {
      hint: `stop it first: \`loopwright loop stop ${loopId}\``,
    });
  }
  const lease = await leaseOf(tx, restLeaseMs);
  await tx.queue.enqueue(loopId, lease.now);
  const claim = await tx.queue.claim({ owner: session.id, lease, loopId, ...gone });
  if (claim === null) {
    throw new LoopwrightError(
      'loop.owned',
      `${loopId} is being changed by somebody else right now`,
      {
        hint: 'try again in a moment',
      },
    );
  }
  return { claim, recorded };
}

/** Adds facts to a resting loop, in one transaction with `work`. */
export async function recordAtRest(
  engine: Engine,
  session: Session,
  loopId: string,
  event: LoopEvent,
  work?: (tx: StoreTx) => Promise<void>,
): Promise<Loop> {
  await using held = await holdAtRest(engine, session, loopId);
  return held.record(event, work);
}
