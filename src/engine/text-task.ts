import { isLoopwrightError } from '../core/error.ts';
import type { Loop } from '../core/loop/loop.ts';
import { resolveTask } from '../core/task/resolve.ts';
import { slugOf } from '../core/task/slug.ts';
import type { NewTask, Task } from '../core/task/task.ts';
import { stripEscapes } from '../core/text/terminal.ts';
import type { StoreTx } from '../ports/store.ts';
import type { Engine } from './engine.ts';
import { endSession, leaseOf, newSession } from './session.ts';

const idTries = 5;

/** Stores a new task that anybody may start. */
export async function addTask(engine: Engine, task: NewTask): Promise<Task> {
  return storeTask(engine, task, async () => {});
}

/**
 * Stores a new task for the run that follows in this process: a daemon that looks for work passes it over. The run takes the
 * claim over; if the process ends first, or lets go of the task, any other one does.
 */
export async function addTaskToRun(engine: Engine, task: NewTask): Promise<HeldTask> {
  const session = await newSession(engine, 'command');
  const added = await storeTask(engine, task, async (tx, taskId, now) => {
    await tx.sessions.start(session);
    const lease = await leaseOf(tx, engine.leaseMs);
    await tx.tasks.claim({ owner: session.id, now, lease, taskId });
  });
  return { task: added, letGo: () => endSession(engine, session) };
}

export type HeldTask = { readonly task: Task; letGo(): Promise<void> };

/** A taken id is drawn again. */
async function storeTask(
  engine: Engine,
  task: NewTask,
  hold: (tx: StoreTx, id: string, now: number) => Promise<void>,
): Promise<Task> {
  for (let attempt = 1; ; attempt++) {
    const id = engine.ids.task();
    try {
      await engine.reach('before:add-task');
      const added = await engine.store.write(async (tx) => {
        const now = engine.clock.now();
        const made = await tx.tasks.add(id, task, now);
        await hold(tx, id, now);
        return made;
      });
      await engine.reach('after:add-task');
      return added;
    } catch (error) {
      const isTaken = isLoopwrightError(error) && error.code === 'store.exists';
      if (!isTaken || attempt === idTries) throw error;
    }
  }
}

/** The newest loop of a task that neither completed nor failed nor was cancelled. */
export async function unfinishedLoop(engine: Engine, taskId: string): Promise<Loop | null> {
  return engine.store.read(async (tx) => {
    const [newest] = await tx.loops.list({ taskId, limit: 1 });
    if (newest === undefined || newest.reason === 'cancelled') return null;
    if (newest.status === 'complete' || newest.status === 'failed') return null;
    return tx.loops.get(newest.id);
  });
}

/**
 * The stored task that words to run mean: the one whose slug they are, else the newest with exactly this title that has an
 * unfinished loop, or none yet because its engine died first. Null when they describe a new task.
 */
export async function findMeantTask(engine: Engine, text: string): Promise<Task | null> {
  // Titles are stored without secrets.
  const title = engine.clean(stripEscapes(text));
  const slug = slugOf(title);
  const tasks = await engine.store.read((tx) => tx.tasks.list({ slug }));
  if (title.includes('-') && slug === title && tasks.length > 0) {
    const named = tasks.map((task) => ({ ...task, slug }));
    return resolveTask(title, named);
  }
  for (const task of tasks.filter((each) => each.title === title).toReversed()) {
    if ((await unfinishedLoop(engine, task.id)) !== null) return task;
    const loops = await engine.store.read((tx) => tx.loops.list({ taskId: task.id, limit: 1 }));
    if (loops.length === 0 && (task.status === 'running' || task.status === 'pending')) return task;
  }
  return null;
}
