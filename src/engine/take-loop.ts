import type { Settings } from '../core/config/schema.ts';
import { LoopwrightError } from '../core/error.ts';
import type { Flags, LoopEvent } from '../core/loop/event.ts';
import { modeSwitch } from '../core/loop/mode-switch.ts';
import { openIteration, type Loop } from '../core/loop/loop.ts';
import { repair, type World } from '../core/loop/repair.ts';
import { isResting } from '../core/loop/status.ts';
import { worksInPlace } from '../core/loop/place.ts';
import type { QueueEntry } from '../ports/queue.ts';
import type { Session, StoreTx } from '../ports/store.ts';
import type { Engine } from './engine.ts';
import { readRecorded, tellDifference, type RecordedLoop } from './folded-loop.ts';
import { landedRebase } from './landed-rebase.ts';
import { lastSeen, unrecordedWork } from './last-seen.ts';
import { unrecordedIterations } from './older-store.ts';
import { lostUsage } from './running-usage.ts';
import { LoopOwner } from './loop-owner.ts';
import { reportSurroundings } from './report-surroundings.ts';
import { hasLivingOwner, leaseOf, takeOverFrom } from './session.ts';

export type TakeOptions = {
  /** Why, in words: it is stored and shown. */
  readonly why: string;
  /** Replaces the loop's settings (`--max-iterations`, `--reload`). */
  readonly settings?: Settings;
  /** Goes with the settings: what the command line says now. */
  readonly flags?: Flags;
};

/**
 * Makes this session the one owner of a loop: a new one, a resting one that goes on, or one whose owner is gone.
 * What the old owner left (processes, an open iteration) is put right before anything else happens.
 */
export async function takeLoop(
  engine: Engine,
  session: Session,
  loopId: string,
  options: TakeOptions,
): Promise<LoopOwner> {
  const { recorded, entry, taskOwner } = await engine.store.read((tx) => lookUp(tx, loopId));
  const { loop } = recorded;
  tellDifference(engine, recorded);
  if (loop.status === 'complete') throw isComplete(loop);
  const isOurs = entry?.owner === session.id;
  if (entry !== undefined && !isOurs && (await hasLivingOwner(engine, entry))) {
    throw alreadyOwned(loop, entry);
  }
  const gone = await takeOverFrom(engine, session, entry?.owner ?? loop.sessionId);
  // A task is claimed before its loop exists, so an engine may have died in between as its holder only.
  const goneHolder = await takeOverFrom(engine, session, taskOwner);
  const driven = worksInPlace(loop) ? await drivenLoops(engine) : new Set<string>();
  await engine.reach('before:claim-loop');
  const claims = await engine.store.write(async (tx) => {
    const { id: owner } = session;
    const now = engine.clock.now();
    const heldUntil = engine.clock.monotonic() + engine.leaseMs;
    const lease = await leaseOf(tx, engine.leaseMs);
    if (entry === undefined) await tx.queue.enqueue(loopId, lease.now);
    const claim = await tx.queue.claim({ owner, lease, loopId, ...gone });
    if (claim === null) throw alreadyOwned(loop, entry);
    const held = await tx.tasks.claimOf(loop.taskId);
    const taskClaim =
      held?.owner === owner
        ? held
        : await tx.tasks.claim({ owner, now, lease, taskId: loop.taskId, ...goneHolder });
    if (taskClaim === null) throw await cannotClaimTask(tx, loop.taskId);
    // Read again under the claim: nobody else appends from here on.
    const current = (await readRecorded(tx, loopId))?.loop ?? loop;
    if (current.status === 'complete') throw isComplete(current);
    if (worksInPlace(current)) await refuseSharedPlace(tx, current, driven);
    // What was asked of the owner before is history.
    for (const { id } of await tx.requests.pending(loopId)) await tx.requests.handled(id, now);
    await tx.messages.acknowledgeAll(loopId, 'resume', now);
    const waitLeftMs = entry === undefined ? null : Math.max(0, entry.dueAt - lease.now);
    return { claim, taskClaim, heldUntil, waitLeftMs, current };
  });
  await engine.reach('after:claim-loop');
  const isElsewhere = await ranElsewhere(engine, claims.current);
  const endedProcess = !isElsewhere && (await endLeftover(engine, claims.current));
  if (claims.current.status !== 'pending') await engine.artifacts.tidy(loopId);
  const unrecorded = await unrecordedIterations(engine, claims.current);
  const seen = await lastSeen(engine, claims.current, entry);
  const owner = new LoopOwner(engine, claims.current, {
    ...claims,
    isAfterBoot: await hadEarlierBoot(engine, claims.current),
    isAfterKill: claims.current.status !== 'pending' && !isResting(claims.current.status),
    unrecordedMs: unrecordedWork(claims.current, seen),
  });
  try {
    const rebased = await landedRebase(engine, claims.current, owner.closing);
    const world = { why: options.why, endedProcess, lastSeen: seen, rebased, unrecorded };
    const lost = await lostUsage(engine, claims.current);
    const left = isElsewhere ? nothingLeft : await leftSurroundings(engine, owner);
    const events = takeOverEvents(claims.current, session, world, options);
    await owner.record(...lost, ...left.before, ...events, ...left.after);
    return owner;
  } catch (error) {
    await owner[Symbol.asyncDispose]();
    throw error;
  }
}

async function lookUp(
  tx: StoreTx,
  loopId: string,
): Promise<{ recorded: RecordedLoop; entry: QueueEntry | undefined; taskOwner: string | null }> {
  const recorded = await readRecorded(tx, loopId);
  if (recorded === null) throw new LoopwrightError('loop.not_found', `there is no loop ${loopId}`);
  const entry = (await tx.queue.entries()).find((each) => each.loopId === loopId);
  const held = await tx.tasks.claimOf(recorded.loop.taskId);
  return { recorded, entry, taskOwner: held?.owner ?? null };
}

async function drivenLoops(engine: Engine): Promise<ReadonlySet<string>> {
  const driven = new Set<string>();
  for (const entry of await engine.store.read((tx) => tx.queue.entries())) {
    if (await hasLivingOwner(engine, entry)) driven.add(entry.loopId);
  }
  return driven;
}

/** Loops that work in the same files at once would undo each other's work. `driven` were so just before. */
async function refuseSharedPlace(
  tx: StoreTx,
  loop: Loop,
  driven: ReadonlySet<string>,
): Promise<void> {
  const now = await tx.leaseTime();
  for (const { loopId, owner, leaseUntil } of await tx.queue.entries()) {
    if (loopId === loop.id || owner === null) continue;
    if ((leaseUntil ?? 0) <= now && !driven.has(loopId)) continue;
    const other = await tx.loops.get(loopId);
    if (other?.workspace.path !== loop.workspace.path) continue;
    throw new LoopwrightError(
      'loop.place_taken',
      `${loopId} already works in ${loop.workspace.path}`,
      {
        hint: 'wait for it, or work in a git repository without --in-place: every loop then has its own worktree',
      },
    );
  }
}

function isComplete(loop: Loop): LoopwrightError {
  return new LoopwrightError(
    'loop.complete',
    `${loop.id} is complete: there is nothing to go on with`,
    {
      hint: `merge it with \`loopwright merge ${loop.id}\`, or start another loop with \`loopwright run ${loop.taskId} --new\``,
    },
  );
}

function alreadyOwned(loop: Loop, entry: QueueEntry | undefined): LoopwrightError {
  const by = entry?.owner ?? 'another engine';
  return new LoopwrightError('loop.owned', `${loop.id} is being driven by ${by} right now`, {
    hint: `follow it with \`loopwright logs -f ${loop.id}\`, or stop it with \`loopwright loop stop ${loop.id}\``,
  });
}

export async function cannotClaimTask(tx: StoreTx, taskId: string): Promise<LoopwrightError> {
  const task = await tx.tasks.get(taskId);
  const held = await tx.tasks.claimOf(taskId);
  if (held !== null) {
    return new LoopwrightError(
      'task.held',
      `the task ${taskId} is being worked on by ${held.owner}`,
      {
        hint: `see \`loopwright task show ${taskId}\``,
      },
    );
  }
  const open = task !== null && task.openChildren > 0;
  const why = open
    ? 'has open subtasks, which are worked on instead'
    : `is ${task?.status ?? 'gone'}`;
  return new LoopwrightError('task.unclaimable', `the task ${taskId} ${why}`, {
    hint: open
      ? 'run them with `loopwright run`'
      : `open it again with \`loopwright task reset ${taskId}\``,
  });
}

/** Whether the machine was started since the loop was last driven. */
async function hadEarlierBoot(engine: Engine, { sessionId }: Loop): Promise<boolean> {
  if (sessionId === null) return false;
  const session = await engine.store.read((tx) => tx.sessions.get(sessionId));
  const { bootId } = await engine.supervisor.self();
  return session !== null && session.process.bootId !== bootId;
}

/** Whether the last session worked in the place this project was copied from: what it left is there, not here. */
async function ranElsewhere(engine: Engine, { sessionId }: Loop): Promise<boolean> {
  if (sessionId === null) return false;
  const session = await engine.store.read((tx) => tx.sessions.get(sessionId));
  return session?.isElsewhere === true;
}

/** An agent that outlived its engine is ended before its worktree is touched. */
async function endLeftover(engine: Engine, loop: Loop): Promise<boolean> {
  const process = openIteration(loop)?.process ?? null;
  await engine.reach('before:end-leftover');
  const ended = process !== null && (await engine.supervisor.endLeftover(process, 2000));
  await engine.reach('after:end-leftover');
  return ended;
}

/**
 * What an iteration whose engine died has changed around its workspace, and how the loop rests for it. An iteration that waits
 * goes on, and is looked at when it ends.
 */
async function leftSurroundings(engine: Engine, owner: LoopOwner): Promise<Left> {
  if (owner.loop.wait !== null) return nothingLeft;
  const aside = ' (found when its engine was gone: by you since then, or before)';
  const { changed, rest } = await reportSurroundings(engine, owner, aside);
  return {
    before: changed === null ? [] : [changed],
    after: rest === null ? [] : [{ type: 'loop.rested', ...rest }],
  };
}

/** Facts before and after the one that the loop goes on. */
type Left = { readonly before: readonly LoopEvent[]; readonly after: readonly LoopEvent[] };
const nothingLeft: Left = { before: [], after: [] };

function takeOverEvents(
  loop: Loop,
  session: Session,
  world: World & { readonly unrecorded: readonly number[] | null },
  options: TakeOptions,
): readonly LoopEvent[] {
  const { id: sessionId } = session;
  const { host } = session.process;
  const { unrecorded } = world;
  const isNew = loop.status === 'pending' && (unrecorded ?? []).length === 0;
  if (isNew) return [{ type: 'loop.started', sessionId, host }];
  const repaired = isResting(loop.status) ? [] : repair(loop, world);
  const { settings = null, flags = null } = options;
  return [
    ...repaired,
    {
      type: 'loop.resumed',
      sessionId,
      host,
      why: world.why,
      settings,
      flags,
      ...(unrecorded === null ? {} : { unrecorded }),
    },
    ...modeSwitch(loop.settings, settings ?? loop.settings),
  ];
}
