import { LoopwrightError } from '../core/error.ts';
import type { Engine } from './engine.ts';
import { findTaskId } from './find-loop.ts';

const maxChars = 20_000;

/** A task whose prompts get a person's words, and its newest loop; null: the task has no loop yet. */
export type Guided = { readonly id: string | null; readonly taskId: string };

/** The task that a person names by its id, its title or one of its loops. */
export async function findGuided(engine: Engine, reference: string): Promise<Guided> {
  return engine.store.read(async (tx) => {
    const taskId = await findTaskId(tx, reference);
    const [newest] = await tx.loops.list({ taskId, limit: 1 });
    return { id: newest?.id ?? null, taskId };
  });
}

/** Adds a person's words to every later prompt of the task. The next prompt reads them from the store. */
export async function guideLoop(engine: Engine, guided: Guided, text: string): Promise<void> {
  const words = text.trim();
  if (words === '') throw new LoopwrightError('guide.empty', 'there is no guidance to add');
  if (words.length > maxChars) {
    throw new LoopwrightError('guide.too_long', `guidance takes at most ${maxChars} characters`, {
      hint: 'put it into a file of the repository and name the file',
    });
  }
  await engine.store.write((tx) => tx.tasks.guide(guided.taskId, words, engine.clock.now()));
  if (guided.id !== null) await engine.wakeups.wake(guided.id);
}
