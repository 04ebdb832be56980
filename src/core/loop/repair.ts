import type { LoopEvent } from './event.ts';
import { openIteration, type Loop } from './loop.ts';
import { isResting } from './status.ts';

/** What was found when a loop's owner was gone. */
export type World = {
  /** Why the new owner thinks the old one is gone, in words. */
  readonly why: string;
  /** The old agent's process was still there and was ended. */
  readonly endedProcess: boolean;
  /** When the old owner last gave a sign of life, in UTC milliseconds. */
  readonly lastSeen: number;
  /** Where the loop's branch is when a rebase that was begun has reached it; null when it has not. */
  readonly rebased: string | null;
};

/**
 * The facts to add when a loop is taken over from an owner that is gone. An open iteration is interrupted: its
 * number stays used, it does not count, and the loop goes on with the next one. A wait survives as it is. A rebase is over,
 * done or not.
 * Repairing twice adds nothing the second time.
 */
export function repair(loop: Loop, world: World): readonly LoopEvent[] {
  if (isResting(loop.status)) return [];
  const events: LoopEvent[] = [];
  if (loop.status === 'rebasing') events.push(...endRebase(loop, world));
  const iteration = openIteration(loop);
  if (iteration !== null && loop.wait === null) {
    events.push({
      type: 'iteration.ended',
      number: iteration.number,
      status: 'interrupted',
      outcome: 'interrupted',
      counted: false,
      durationMs: Math.max(0, Math.round(world.lastSeen - iteration.startedAt)),
      progress: null,
      why: world.endedProcess
        ? `${world.why}; its agent was still running and was ended`
        : world.why,
    });
  }
  return events;
}

/** The branch moves in one step: it shows whether the rebase was done. */
function endRebase({ rebaseOnto }: Loop, { rebased, why }: World): readonly LoopEvent[] {
  if (rebased === null || rebaseOnto === null) return [{ type: 'rebase.aborted', why }];
  return [{ type: 'rebase.ended', base: rebaseOnto, head: rebased }];
}
