import { LoopwrightError } from '../../core/error.ts';
import { runExitCodes } from '../../core/loop/finishing.ts';
import { combineExitCodes } from '../../core/loop/status.ts';
import { loopResult } from '../../protocol/loop-result.ts';
import type { Command, CommandInput } from '../command.ts';
import type { CliContext } from '../context.ts';
import { dryRun } from '../dry-run.ts';
import { exitCodeOfError, exitCodes } from '../exit-code.ts';
import {
  diskWaitOption,
  driveInForeground,
  talkOptions,
  unpricedOption,
  type Driven,
} from '../foreground.ts';
import { tellCutShort } from '../cut-short.ts';
import { isGiven, wantsJson } from '../input.ts';
import type { Opened } from '../../daemon/compose.ts';
import { judgeOf, startingCommit } from '../../engine/find-judge.ts';
import { drivenElsewhere } from '../../engine/driven-elsewhere.ts';
import type { RunOutcome } from '../../engine/run-loops.ts';
import { loopFiles } from '../../engine/loop-files.ts';
import { plural } from '../render/format.ts';
import { judgeText } from '../render/judge-list.ts';
import { prepareRun } from '../prepare-run.ts';
import { flagValues, settingOptions } from '../setting-options.ts';
import { runDetached } from '../run-detached.ts';
import { readRunTarget, type RunTarget } from '../run-target.ts';

export const run: Command = {
  path: ['run'],
  summary: 'Run a task, or everything that is ready, until it is verifiably done.',
  details:
    'TEXT creates a task and runs it; a task id runs that task; `-` reads the text from standard input. If the task has ' +
    'an unfinished loop, that loop goes on. Without TEXT, loops go on first that were interrupted or waited for a provider, a sign-in or disk space; then every task that is ready is run.' +
    '\n\nThe first Ctrl-C finishes the iteration, the second cuts it short. Nothing is lost either way.' +
    '\n\nExit code: 0 complete, 1 failed, 2 needs you, 3 refused or nothing to do, 4 stopped, 5 budget, 130 interrupted.',
  args: [
    {
      name: 'TEXT',
      summary: 'What to do, the id of a task, or `-` for standard input.',
      required: false,
      completes: 'tasks',
    },
  ],
  options: [
    ...settingOptions(),
    { name: 'type', value: 'TYPE', summary: 'Loop type of the new task.' },
    { name: 'file', value: 'FILE', summary: 'Read the task from a file.', completes: 'files' },
    { name: 'jobs', value: 'N', summary: 'Run up to N loops at once (only without TEXT).' },
    { name: 'limit', value: 'N', summary: 'Start at most N loops (only without TEXT).' },
    { name: 'retry-failed', summary: 'Give failed tasks another loop (only without TEXT).' },
    { name: 'in-place', summary: 'Work in your checkout instead of a worktree of its own.' },
    { name: 'allow-dirty', summary: 'With --in-place: also with uncommitted changes.' },
    { name: 'no-commit', summary: 'Do not commit after each iteration.' },
    { name: 'no-verify', summary: 'Run no checks; the loop can then never be complete.' },
    { name: 'keep-going', summary: 'Only a pass, the caps and the budgets end the loop.' },
    unpricedOption,
    diskWaitOption,
    { name: 'new', summary: 'Start another loop even if one is unfinished.' },
    { name: 'detach', summary: 'Hand it to the daemon, started if there is none, and come back.' },
    { name: 'dry-run', summary: 'Show prompt, agent, checks and limits; run nothing.' },
    ...talkOptions,
  ],
  examples: [
    {
      line: 'loopwright run "accept trailing commas" --validate "npm test"',
      does: 'Creates a task and works on it until npm test passes.',
    },
    { line: 'loopwright run', does: 'Goes on with interrupted loops, then runs every ready task.' },
    {
      line: 'loopwright run --jobs 4 --merge local',
      does: 'Runs four tasks at a time, each on its own branch, and merges what is complete.',
    },
    {
      line: 'loopwright run t-1a2b3c4d --max-iterations 10',
      does: 'Runs one task with at most ten iterations.',
    },
    {
      line: 'loopwright run "accept trailing commas" --detach',
      does: 'The same in the background; `loopwright logs -f last` follows it.',
    },
    { line: 'loopwright run --file PROMPT.md --dry-run', does: 'Shows what would be sent.' },
  ],

  async run(input, context) {
    const target = await readRunTarget(input, context);
    if (isGiven(input, 'detach')) return runDetached(input, context, target);
    if (isGiven(input, 'dry-run')) return dryRun(input, context, target);
    return driveInForeground(
      context,
      input,
      flagValues(input),
      async (opened, say) => {
        const drive = await prepareRun(input, context, opened, target, say);
        await tellJudge(input, opened, say);
        return drive;
      },
      (driven) => reportRun(input, context, target, driven),
    );
  },
};

/** One line on what judges. What keeps it from being told is told by the run itself. */
async function tellJudge(
  input: CommandInput,
  { engine, config: { settings } }: Opened,
  say: (text: string) => void,
): Promise<void> {
  if (isGiven(input, 'no-verify') || isGiven(input, 'quiet')) return;
  const signal = AbortSignal.timeout(60_000);
  try {
    const base = await startingCommit(engine, settings, signal);
    if (base === null) return;
    const { files } = await judgeOf(engine, { base, head: null, settings }, signal);
    say(`${judgeText(files)} (loopwright judge lists them)`);
  } catch (error) {
    if (!(error instanceof LoopwrightError)) throw error;
  }
}

async function reportRun(
  input: CommandInput,
  context: CliContext,
  target: RunTarget,
  { outcome, opened }: Driven,
): Promise<number> {
  const loops = outcome?.loops ?? [];
  const exitCode =
    outcome === null ? exitCodes.interrupted : combineExitCodes(runExitCodes(outcome));
  if (outcome !== null) await tellCutShort(context, opened, outcome, 'loopwright run');
  const isHeldBack = outcome !== null && (outcome.spent ?? outcome.full) !== null;
  if (outcome !== null && loops.length === 0 && !isHeldBack) {
    return reportNothing(input, context, await whyNothing(opened, outcome));
  }
  if (outcome !== null && outcome.waiting > 0) {
    const { message, hint } = await waitsForOthers(opened, outcome.waiting);
    context.err.write(`${message}\n${hint === null ? '' : `next:  ${hint}\n`}`);
  }
  if (outcome?.held === true) context.err.write(`${heldText}: see \`loopwright status\`\n`);
  if (outcome?.limited === true)
    context.err.write('the limit of loops is reached; more tasks are ready\n');
  if (!wantsJson(input)) return exitCode;
  const results = [];
  for (const loop of loops) {
    results.push(loopResult(loop, (await loopFiles(opened.project, loop)).changed));
  }
  const only = results.at(-1);
  const shown =
    target.kind === 'ready' || only === undefined
      ? { loops: results, exitCode }
      : { ...only, exitCode };
  context.out.write(`${JSON.stringify(shown)}\n`);
  return exitCode;
}

const heldText = 'every task that is left waits behind a failed or blocked one';

/** No loop ran. A program gets the empty list and why. */
function reportNothing(input: CommandInput, context: CliContext, error: LoopwrightError): number {
  if (!wantsJson(input)) throw error;
  const { code, message, hint } = error;
  const exitCode = exitCodeOfError(error);
  const result = { loops: [], error: { code, message, hint }, exitCode };
  context.out.write(`${JSON.stringify(result)}\n`);
  return exitCode;
}

/** Their engine goes on with them; should it end, the next run does. */
async function waitsForOthers({ engine }: Opened, count: number): Promise<LoopwrightError> {
  const sessions = (await drivenElsewhere(engine)).map(({ session }) => session.process);
  const [first] = sessions;
  const by = first === undefined ? '' : ` (process ${first.pid} on ${first.host})`;
  const text = `${plural(count, 'task')} ${count === 1 ? 'waits' : 'wait'} for work that another engine does${by}`;
  return new LoopwrightError('run.waiting', text, {
    hint: 'run `loopwright run` again when it has ended; it takes over what that engine leaves',
  });
}

async function whyNothing(
  opened: Opened,
  { held, waiting }: Pick<RunOutcome, 'held' | 'waiting'>,
): Promise<LoopwrightError> {
  const { engine } = opened;
  if (held) {
    const hint = 'see what needs you with `loopwright status`';
    return new LoopwrightError('run.held', heldText, { hint });
  }
  if (waiting > 0) return waitsForOthers(opened, waiting);
  const [first, ...more] = await drivenElsewhere(engine);
  const { failed } = await engine.store.read((tx) => tx.tasks.counts());
  if (first === undefined && failed > 0) {
    const text = `there is nothing to do: no task is ready, and ${plural(failed, 'task')} ${failed === 1 ? 'has' : 'have'} failed`;
    return new LoopwrightError('run.nothing_to_do', text, {
      hint: '`loopwright run --retry-failed` gives failed tasks another loop; `loopwright status` shows what needs you',
    });
  }
  if (first === undefined) {
    return new LoopwrightError('run.nothing_to_do', 'there is nothing to do: no task is ready', {
      hint: 'start one with `loopwright run "what to do"`, or add tasks with `loopwright task add`; `loopwright status` shows what needs you',
    });
  }
  const { loopId, session } = first;
  const { pid, host } = session.process;
  const others = more.length === 0 ? '' : ` and ${more.length} more`;
  return new LoopwrightError(
    'run.nothing_to_do',
    `there is nothing to do here: another engine (process ${pid} on ${host}) drives ${loopId}${others}, and no other task is ready`,
    {
      hint: `follow it with \`loopwright logs -f ${loopId}\`; should that process hang, its loops are taken over a minute after it was last heard of`,
    },
  );
}
