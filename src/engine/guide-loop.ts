import { LoopwrightError } from '../core/error.ts';
import { isSelector, parseSelector } from '../core/coordinate/selector.ts';
import type { StoreTx } from '../ports/store.ts';
import type { Engine } from './engine.ts';
import { findTaskId } from './find-loop.ts';
import { selectLoops, selectTasksBelow } from './select-loops.ts';

const maxChars = 20_000;

/** A task whose prompts get a person's words, and its newest loop; null: the task has no loop yet. */
export type Guided = { readonly id: string | null; readonly taskId: string };

/** The task that a person names by its id, its title or one of its loops. */
export async function findGuided(engine: Engine, reference: string): Promise<Guided> {
  return engine.store.read(async (tx) => newestOf(tx, await findTaskId(tx, reference)));
}

/**
 * The same for commands that also take a selector. Children and descendants
 * need no loop yet: words for them would be lost otherwise. Throws `guide.nobody` when a selector means none.
 */
export async function findAllGuided(engine: Engine, reference: string): Promise<readonly Guided[]> {
  if (!isSelector(reference)) return [await findGuided(engine, reference)];
  return engine.store.read(async (tx) => {
    const selector = parseSelector(reference);
    const loops = await selectLoops(tx, selector, null);
    const meant: Guided[] = loops.map(({ id, taskId }) => ({ id, taskId }));
    if (selector.by === 'children' || selector.by === 'descendants') {
      for (const taskId of await selectTasksBelow(tx, selector, null)) {
        const isMeant = meant.some((each) => each.taskId === taskId);
        if (!isMeant && (await isOpen(tx, taskId))) meant.push(await newestOf(tx, taskId));
      }
    }
    if (meant.length === 0) throw nobody(reference);
    return meant;
  });
}

async function newestOf(tx: StoreTx, taskId: string): Promise<Guided> {
  const [newest] = await tx.loops.list({ taskId, limit: 1 });
  return { id: newest?.id ?? null, taskId };
}

/** A failed task may be tried again; what is done or cancelled has no later prompt. */
async function isOpen(tx: StoreTx, taskId: string): Promise<boolean> {
  const status = (await tx.tasks.get(taskId))?.status;
  return status !== undefined && status !== 'done' && status !== 'cancelled';
}

function nobody(reference: string): LoopwrightError {
  return new LoopwrightError('guide.nobody', `“${reference}” means no open loop or task`, {
    hint: 'the guidance was not stored; give a task, which needs no loop yet: loopwright guide TASK TEXT',
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
