import { LoopwrightError } from '../core/error.ts';
import type { Loop } from '../core/loop/loop.ts';
import { isResting } from '../core/loop/status.ts';
import type { Task } from '../core/task/task.ts';
import type { Opened } from '../daemon/compose.ts';
import { createLoop } from '../engine/create-loop.ts';
import { reopenFailed } from '../engine/resumable.ts';
import { isSetupProblem, requireWorkable } from '../engine/run-ready.ts';
import { sendMessage } from '../engine/send-message.ts';
import { addTaskToRun, findMeantTask, unfinishedLoop } from '../engine/text-task.ts';
import type { CommandInput } from './command.ts';
import type { CliContext } from './context.ts';
import { exitCodes } from './exit-code.ts';
import { isGiven, usageError, wantsJson } from './input.ts';
import type { RunTarget } from './run-target.ts';
import { flagValues } from './setting-options.ts';
import { ensureDaemon, type Started } from './start-daemon.ts';

/**
 * Hands work over to the daemon, which is started if there is none, and comes back at once. The loop is stored first, with the
 * flags of this command line: whoever is killed on the way, the daemon or the next `run` finds it.
 */
export async function runDetached(
  input: CommandInput,
  context: CliContext,
  target: RunTarget,
): Promise<number> {
  refuseForeground(input);
  await using opened = await context.open({
    flags: flagValues(input),
    allowUnpriced: isGiven(input, 'allow-unpriced'),
  });
  if (target.kind === 'ready') return handReady(input, context, opened);
  const handed = await hand(input, opened, target);
  const daemon = await ensureDaemon(context, opened, ['--idle']);
  if (handed.isResting) {
    await sendMessage(opened.engine, {
      kind: 'resume',
      sender: null,
      to: handed.loop.id,
      body: '',
    });
  }
  return tell(input, context, daemon, handed.loop);
}

const foregroundOnly = [
  'in-place',
  'wait',
  'dry-run',
  'events',
  'quiet',
  'verbose',
  'limit',
  'jobs',
];

function refuseForeground(input: CommandInput): void {
  const scoped = Object.keys(flagValues(input)).find((flag) => /^max-(?:run|day)-/.test(flag));
  if (scoped !== undefined) {
    throw usageError(
      `--${scoped} says nothing to the daemon, which has a budget of its own`,
      'set `budget.run` or `budget.day` in loopwright.yml',
    );
  }
  const given = foregroundOnly.find((name) => input.options[name] !== undefined);
  if (given === undefined) return;
  throw usageError(
    `--detach and --${given} exclude each other`,
    given === 'jobs' || given === 'limit'
      ? 'the daemon runs as many at once as `scheduler.max-agents` says'
      : 'leave one of them away',
  );
}

/** What is ready is the daemon's own business; it only has to be there. */
async function handReady(
  input: CommandInput,
  context: CliContext,
  opened: Opened,
): Promise<number> {
  const [flag] = Object.keys(flagValues(input));
  if (flag !== undefined) {
    throw usageError(
      `--${flag} says nothing to the daemon, which works by loopwright.yml`,
      'set it there, or name one task: `loopwright run TASK --detach`',
    );
  }
  if (isGiven(input, 'retry-failed')) await reopenFailed(opened.engine);
  await requireStartable(opened);
  const daemon = await ensureDaemon(context, opened, []);
  await daemon.client.call('takeReady', { body: {} });
  return tell(input, context, daemon, null);
}

/** What would keep every task from starting is told here and now, and not in the log of a daemon. */
async function requireStartable(opened: Opened): Promise<void> {
  const [first] = await opened.engine.store.read((tx) => tx.tasks.ready(1));
  if (first === undefined) return;
  try {
    await opened.planFor(first, true);
  } catch (error) {
    // Of this one task alone: the daemon tells of it, and takes the others.
    if (isSetupProblem(error)) throw error;
  }
}

type Handed = { readonly loop: Loop; readonly isResting: boolean };

async function hand(
  input: CommandInput,
  opened: Opened,
  target: Exclude<RunTarget, { kind: 'ready' }>,
): Promise<Handed> {
  const { engine } = opened;
  if (engine.project.kind === 'folder') throw needsGit();
  const isFresh = isGiven(input, 'new');
  const known =
    target.kind === 'task'
      ? await engine.store.read((tx) => tx.tasks.resolve(target.id))
      : isFresh
        ? null
        : await findMeantTask(engine, target.title);
  const unfinished = known === null || isFresh ? null : await unfinishedLoop(engine, known.id);
  if (unfinished !== null) {
    const handed = handUnfinished(input, unfinished);
    await requireWorkable(engine, unfinished);
    return handed;
  }
  if (known !== null) return newLoop(input, opened, known);
  if (target.kind === 'task') throw new LoopwrightError('task.not_found', 'there is no such task');
  const { title, description, type } = target;
  await opened.planFor({ type, validation: null }, !isGiven(input, 'no-verify'));
  const held = await addTaskToRun(engine, { title, description, type });
  const handed = await newLoop(input, opened, held.task);
  await held.letGo();
  return handed;
}

function handUnfinished(input: CommandInput, loop: Loop): Handed {
  const [flag] = Object.keys(flagValues(input));
  if (flag === undefined) return { loop, isResting: isResting(loop.status) };
  throw usageError(
    `${loop.id} of this task is unfinished, and --${flag} would change it`,
    `go on with it here: \`loopwright loop resume ${loop.id} --${flag} ...\`, or start another with --new`,
  );
}

async function newLoop(input: CommandInput, opened: Opened, task: Task): Promise<Handed> {
  const verify = !isGiven(input, 'no-verify');
  const plan = await opened.planFor(task, verify);
  const options = {
    inPlace: false,
    commit: !isGiven(input, 'no-commit'),
    verify,
    keepGoing: isGiven(input, 'keep-going'),
    verifyOnly: task.children > 0,
  };
  const loop = await createLoop(opened.engine, { task, ...plan, options, allowDirty: false });
  return { loop, isResting: false };
}

function needsGit(): LoopwrightError {
  return new LoopwrightError(
    'run.needs_git',
    'the daemon works in worktrees, and this folder is no git repository',
    {
      hint: 'leave --detach away, or make it one: `git init && git add -A && git commit -m start`',
    },
  );
}

function tell(
  input: CommandInput,
  context: CliContext,
  { registration, isNew }: Started,
  loop: Loop | null,
): number {
  const { pid, url } = registration;
  if (wantsJson(input)) {
    const about = { loop: loop?.id ?? null, task: loop?.taskId ?? null };
    const result = { ...about, daemon: { pid, url, started: isNew }, exitCode: exitCodes.ok };
    context.out.write(`${JSON.stringify(result)}\n`);
    return exitCodes.ok;
  }
  const who = `the daemon (process ${pid}${isNew ? ', started now' : ''})`;
  context.out.write(
    loop === null
      ? `${who} works on everything that is ready\n`
      : `${loop.id} runs in ${who}: ${loop.title}\n`,
  );
  const next =
    loop === null
      ? ['loopwright status          what runs, what waits, what needs you']
      : [
          `loopwright logs -f ${loop.id}   follow it`,
          `loopwright pause ${loop.id}     after this iteration`,
        ];
  for (const line of [...next, 'loopwright daemon stop     end the daemon'])
    context.err.write(`next: ${line}\n`);
  return exitCodes.ok;
}
