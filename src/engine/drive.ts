import { decide } from '../core/loop/decide.ts';
import type { Loop } from '../core/loop/loop.ts';
import type { Engine } from './engine.ts';
import type { LoopOwner } from './loop-owner.ts';
import { perform } from './perform.ts';

/**
 * Drives one loop until it rests. All there is: look at the facts, decide purely, act, append what happened.
 *
 * One iteration runs through these actions, each ending in facts that make the next one due:
 * start-iteration → choose-model → build-prompt → run-hooks → run-agent → restore-protected →
 * take-snapshot → verify → conclude → run-hooks → judge. Between iterations the loop waits, rebases or rests.
 * A crash between two facts is only a pause: the next owner folds the log and calls this again.
 */
export async function drive(engine: Engine, owner: LoopOwner): Promise<Loop> {
  for (;;) {
    const action = decide(owner.loop, await owner.facts());
    if (action.type === 'done') return owner.loop;
    await perform(engine, owner, action);
  }
}
