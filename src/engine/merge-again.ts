import { isLoopwrightError } from '../core/error.ts';
import type { Loop } from '../core/loop/loop.ts';
import type { Run } from './drive-loop.ts';
import { isRefusal } from './merge-refusal.ts';

/** Tries the merge of a loop once more that something was in the way of. What still is leaves it as it was, and is said. */
export async function mergeAgain(
  { engine, merges }: Pick<Run, 'engine' | 'merges'>,
  loop: Loop,
): Promise<Loop> {
  engine.publish({ kind: 'notice', text: `trying again to merge ${loop.id}, which is complete` });
  try {
    return await merges.merge(loop.id);
  } catch (error) {
    if (!isLoopwrightError(error) || !isRefusal(error.code)) throw error;
    engine.publish({ kind: 'notice', text: `${loop.id} is still blocked: ${error.message}` });
    return loop;
  }
}
