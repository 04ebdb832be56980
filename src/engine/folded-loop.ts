import { LoopwrightError } from '../core/error.ts';
import type { Loop } from '../core/loop/loop.ts';
import type { StoreTx } from '../ports/store.ts';
import type { Engine } from './engine.ts';

/** A loop by its log, and in what its projection says something else. */
export type RecordedLoop = { readonly loop: Loop; readonly differs: readonly string[] };

/**
 * The loop as its log tells it: everything that a verdict depends on reads it here, and never believes the projection. Null when
 * there is none. Refused with `store.log_changed` when the log is not what was written.
 */
export async function readRecorded(tx: StoreTx, loopId: string): Promise<RecordedLoop | null> {
  const folded = await tx.loops.folded(loopId);
  if (folded === null) return null;
  const { loop, brokenAt, differs } = folded;
  if (loop === null || brokenAt !== null) throw logChanged(loopId, brokenAt ?? 1);
  return { loop, differs };
}

/** Says that the projection was changed, and that its log counts. */
export function tellDifference(engine: Engine, { loop, differs }: RecordedLoop): void {
  if (differs.length === 0) return;
  engine.publish({ kind: 'notice', text: `warning: ${differenceText(loop.id, differs)}` });
}

export function differenceText(loopId: string, differs: readonly string[]): string {
  return `the stored state of ${loopId} is not what its log says (${differs.join(', ')}): the log counts, and \`loopwright doctor --fix\` rebuilds the state from it`;
}

/** For whoever must not go on beside a state that somebody has edited. */
export function refuseDifference({ loop, differs }: RecordedLoop): void {
  if (differs.length === 0) return;
  throw new LoopwrightError(
    'store.state_changed',
    `the stored state of ${loop.id} is not what its log says: ${differs.join(', ')}`,
    {
      hint: 'nothing was changed; `loopwright doctor --fix` rebuilds the state from the log, then try again',
      details: { loopId: loop.id, differs },
    },
  );
}

export function logChanged(loopId: string, brokenAt: number): LoopwrightError {
  return new LoopwrightError(
    'store.log_changed',
    `the log of ${loopId} was changed after it was written: event ${brokenAt} does not fit its hash chain`,
    {
      hint: `nothing it says counts; its branch is kept. \`loopwright events ${loopId}\` shows what is stored, \`loopwright run TASK --new\` starts again`,
      details: { loopId, brokenAt },
    },
  );
}
