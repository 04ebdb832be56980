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
};

/**
 * The facts to add when a loop is taken over from an owner that is gone. An open iteration is interrupted: its
 * number stays used, it does not count, and the loop goes on with the next one. A wait survives as it is.
 * Repairing twice adds nothing the second time.
 */
export function repair(loop: Loop, world: World): readonly LoopEvent[] {
  if (isResting(loop.status)) return [];
  const events: LoopEvent[] = [];
  if (loop.status === 'rebasing') events.push({ type: 'rebase.aborted', why: world.why });
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
