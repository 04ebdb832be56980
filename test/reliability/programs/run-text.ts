import type { Opened } from '../../../src/daemon/compose.ts';
import { RunControl, runLoops, type RunOutcome } from '../../../src/engine/run-loops.ts';
import { addTask } from '../../../src/engine/text-task.ts';

/** Runs a new task, or everything that is left and ready. */
export async function run(opened: Opened, text: string | null): Promise<RunOutcome> {
  const loop = { inPlace: false, commit: true, verify: true, keepGoing: false };
  const options = {
    loop,
    allowDirty: false,
    planFor: (task: Parameters<Opened['planFor']>[0]) => opened.planFor(task, true),
  };
  const control = new RunControl();
  if (text === null) {
    return runLoops(opened.engine, { kind: 'ready', limit: null }, options, control);
  }
  const task = await addTask(opened.engine, { title: text, description: '' });
  const request = { kind: 'task', taskId: task.id, fresh: true } as const;
  return runLoops(opened.engine, request, options, control);
}
