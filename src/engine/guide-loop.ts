import { LoopwrightError } from '../core/error.ts';
import type { Loop } from '../core/loop/loop.ts';
import type { Engine } from './engine.ts';

const maxChars = 20_000;

/** Adds a person's words to every later prompt of the loop's task. The next prompt reads them from the store. */
export async function guideLoop(
  engine: Engine,
  loop: Pick<Loop, 'id' | 'taskId'>,
  text: string,
): Promise<void> {
  const words = text.trim();
  if (words === '') throw new LoopwrightError('guide.empty', 'there is no guidance to add');
  if (words.length > maxChars) {
    throw new LoopwrightError('guide.too_long', `guidance takes at most ${maxChars} characters`, {
      hint: 'put it into a file of the repository and name the file',
    });
  }
  await engine.store.write((tx) => tx.tasks.guide(loop.taskId, words, engine.clock.now()));
  await engine.wakeups.wake(loop.id);
}
