import type { FlagValues } from '../core/config/flags.ts';
import { LoopwrightError } from '../core/error.ts';
import { isResting } from '../core/loop/status.ts';
import type { Task } from '../core/task/task.ts';
import type { Opened } from '../daemon/compose.ts';
import type { RunOptions, RunRequest } from '../engine/run-loops.ts';
import type { CheckoutState } from '../ports/workspace.ts';
import { reopenFailed } from '../engine/resumable.ts';
import { addTaskToRun, findMeantTask, unfinishedLoop } from '../engine/text-task.ts';
import type { CommandInput } from './command.ts';
import type { CliContext } from './context.ts';
import type { Drive } from './foreground.ts';
import { isGiven } from './input.ts';
import { plural } from './render/format.ts';
import { settingsForResume } from './resume-settings.ts';
import type { RunTarget } from './run-target.ts';
import { flagValues } from './setting-options.ts';
import { slotOptions } from './slot-options.ts';

/** Turns what was asked into what the engine runs. A new task is stored only when everything else is in order. */
export async function prepareRun(
  input: CommandInput,
  context: CliContext,
  opened: Opened,
  target: RunTarget,
  say: (text: string) => void,
): Promise<Drive> {
  const options = runOptions(input, opened);
  const { engine } = opened;
  const isFresh = isGiven(input, 'new');
  if (target.kind === 'ready') {
    const { limit, jobs } = target;
    if (isGiven(input, 'retry-failed')) {
      const count = await reopenFailed(engine);
      say(
        count === 0
          ? 'no task has failed'
          : `${plural(count, 'failed task')} ${count === 1 ? 'gets' : 'get'} another loop`,
      );
    }
    return { request: { kind: 'ready', limit }, options: { ...options, jobs } };
  }
  if (target.kind === 'task') {
    const task = await engine.store.read((tx) => tx.tasks.resolve(target.id));
    const request = await taskRequest(opened, task, isFresh, flagValues(input), say);
    return { request, options };
  }
  const looking = lookAtCheckout(opened, input);
  const known = isFresh ? null : await findMeantTask(engine, target.title);
  if (known !== null) {
    return { request: await taskRequest(opened, known, false, flagValues(input), say), options };
  }
  const draft = { type: target.type, validation: null };
  await opened.planFor(draft, options.loop.verify, options.loop.inPlace);
  const checkout = await looking;
  if (checkout?.dirty === true && !options.allowDirty) throw dirtyCheckout(context);
  const { title, description, type } = target;
  const { task } = await addTaskToRun(engine, { title, description, type });
  return {
    request: { kind: 'task', taskId: task.id, fresh: true },
    options: checkout === null ? options : { ...options, checkout },
    undo: () =>
      engine.store.write(async (tx) => {
        const loops = await tx.loops.list({ taskId: task.id, limit: 1 });
        if (loops.length === 0) await tx.tasks.delete(task.id);
      }),
  };
}

function runOptions(input: CommandInput, opened: Opened): RunOptions {
  const loop = {
    inPlace: isGiven(input, 'in-place'),
    commit: !isGiven(input, 'no-commit'),
    verify: !isGiven(input, 'no-verify'),
    keepGoing: isGiven(input, 'keep-going'),
  };
  return {
    loop,
    allowDirty: isGiven(input, 'allow-dirty'),
    wait: isGiven(input, 'wait'),
    ...slotOptions(input, opened),
    planFor: (task) => opened.planFor(task, loop.verify, loop.inPlace),
  };
}

/** A task's unfinished loop goes on, under the flags of this command line; else a new loop is started. */
async function taskRequest(
  opened: Opened,
  task: Task,
  isFresh: boolean,
  flags: FlagValues,
  say: (text: string) => void,
): Promise<RunRequest> {
  const loop = isFresh ? null : await unfinishedLoop(opened.engine, task.id);
  if (loop === null || !isResting(loop.status)) {
    return { kind: 'task', taskId: task.id, fresh: isFresh };
  }
  say(`${loop.id} of this task is unfinished and goes on (--new starts another)`);
  const changed = await settingsForResume(opened, loop, flags, false);
  return { kind: 'loop', loopId: loop.id, changed };
}

/** The checkout that a loop in place would work in. Looked at beside everything else that is prepared; null: nobody asks. */
function lookAtCheckout(opened: Opened, input: CommandInput): Promise<CheckoutState | null> {
  if (!isGiven(input, 'in-place')) return Promise.resolve(null);
  const look = opened.project.describe(AbortSignal.timeout(60_000));
  // Something else may be refused first.
  look.catch(() => {});
  return look;
}

/** Refused before anything is stored: `run --in-place` never touches a checkout with uncommitted changes. */
function dirtyCheckout(context: CliContext): LoopwrightError {
  return new LoopwrightError(
    'run.dirty',
    `the checkout around ${context.cwd} has uncommitted changes`,
    {
      hint: 'commit or stash them, leave --in-place away (a loop then gets its own worktree), or add --allow-dirty',
    },
  );
}
