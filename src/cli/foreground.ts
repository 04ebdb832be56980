import type { FlagValues } from '../core/config/flags.ts';
import { awaitsMerge } from '../core/loop/finishing.ts';
import { openIteration, type Loop } from '../core/loop/loop.ts';
import { nextRunGoesOn } from '../core/loop/may-have-passed.ts';
import { isResting } from '../core/loop/status.ts';
import type { Opened } from '../daemon/compose.ts';
import {
  RunControl,
  runLoops,
  type RunOptions,
  type RunOutcome,
  type RunRequest,
} from '../engine/run-loops.ts';
import { answerHere, askAtTerminal } from './ask-here.ts';
import type { CommandInput, Option } from './command.ts';
import type { CliContext, Signal } from './context.ts';
import { EventStream } from './event-stream.ts';
import { isGiven, numberOption, usageError, wantsJson } from './input.ts';
import { loopFiles } from '../engine/loop-files.ts';
import { CrowdView } from './render/crowd-view.ts';
import { LiveView, type Talk } from './render/live-view.ts';
import { createPaint } from './render/paint.ts';
import { renderCrowdSummary } from './render/crowd-summary.ts';
import { leftText } from './render/left-loop.ts';
import { renderSummary } from './render/summary.ts';

/** How a command that drives loops talks. */
export const talkOptions: readonly Option[] = [
  { name: 'json', summary: 'Print the result as one JSON object.' },
  { name: 'events', summary: 'Print every event as one JSON object per line.' },
  { name: 'quiet', short: 'q', summary: 'Say only how it ended.' },
  { name: 'verbose', short: 'v', summary: 'Say more.' },
];

export const diskWaitOption: Option = {
  name: 'wait',
  summary: 'Wait for space when the disk is too full to start anything.',
};

export const unpricedOption: Option = {
  name: 'allow-unpriced',
  summary: 'Run under a cost budget although the price of the model is not known.',
};

/** More loops than this are summed up together. */
const mostSummaries = 3;

export type Drive = {
  readonly request: RunRequest;
  readonly options: RunOptions;
  /** Takes back what was prepared if no loop came of it; called whatever happened. */
  readonly undo?: () => Promise<void>;
};

export type Driven = {
  /** Null when it was interrupted before anything ran. */
  readonly outcome: RunOutcome | null;
  readonly opened: Opened;
};

/**
 * Drives loops in the foreground: live talk, signals, and at the end a summary of every loop. `prepare` says what to
 * run; `report` turns the outcome into the exit code while the project is still open.
 */
export async function driveInForeground(
  context: CliContext,
  input: CommandInput,
  flags: FlagValues,
  prepare: (opened: Opened, say: (text: string) => void) => Promise<Drive>,
  report: (driven: Driven) => Promise<number>,
): Promise<number> {
  refuseTwoFormats(input);
  const isCrowd = (numberOption(input, 'max-loops') ?? numberOption(input, 'jobs') ?? 1) > 1;
  await using view = isCrowd
    ? new CrowdView(context, talkOf(input))
    : new LiveView(context, talkOf(input));
  const stream = isGiven(input, 'events') ? new EventStream(context) : null;
  const control = new RunControl();
  let isRunning = false;
  using _signals = context.onSignal(
    interrupter(
      control,
      () => isRunning,
      () => view.loops.some(isAtWork),
      (text) => view.tell(text),
    ),
  );
  await using opened = await context.open({
    flags,
    allowUnpriced: isGiven(input, 'allow-unpriced'),
    publish(event) {
      view.listener(event);
      stream?.listener(event);
    },
  });
  // Before anything is stored.
  opened.engine.slots.waitsForDisk = isGiven(input, 'wait');
  await opened.engine.slots.requireDisk();
  const { request, options, undo } = await prepare(opened, (text) => view.say(text));
  let outcome: RunOutcome | null = null;
  try {
    if (control.requested === null) {
      isRunning = true;
      const ran = await runLoops(opened.engine, request, options, control);
      outcome = control.requested !== null && ran.loops.length === 0 ? null : ran;
      if (outcome !== null && isTalking(context, input)) {
        outcome = await answerHere(opened, outcome, options, control, askAtTerminal);
      }
    }
  } catch (error) {
    // What did end is told before what went wrong, and what cannot be undone or told does not hide it.
    await view[Symbol.asyncDispose]();
    const [ended, left] = [true, false].map((rests) =>
      view.loops.filter(({ status }) => isResting(status) === rests),
    );
    await summarise(context, input, opened, ended ?? []).catch(() => {});
    for (const loop of left ?? []) context.err.write(`\n${leftText(loop, error)}\n`);
    await undo?.().catch(() => {});
    throw error;
  }
  await undo?.();
  await view[Symbol.asyncDispose]();
  await summarise(context, input, opened, outcome?.loops ?? []);
  if (outcome === null) {
    context.err.write('no loop was begun; `loopwright run` starts what is ready\n');
  }
  // Awaited here: it reads the store, which is closed when this ends.
  return await report({ outcome, opened });
}

/** Whether somebody sits there who could be asked. */
function isTalking({ stdinIsTerminal, out, err }: CliContext, input: CommandInput): boolean {
  const isForProgram = wantsJson(input) || isGiven(input, 'events') || isGiven(input, 'quiet');
  return stdinIsTerminal && out.isTerminal && err.isTerminal && !isForProgram;
}

function refuseTwoFormats(input: CommandInput): void {
  if (wantsJson(input) && isGiven(input, 'events')) {
    throw usageError('--json and --events exclude each other', 'give one of them');
  }
  if (isGiven(input, 'quiet') && isGiven(input, 'verbose')) {
    throw usageError('--quiet and --verbose exclude each other', 'give one of them');
  }
}

function talkOf(input: CommandInput): Talk {
  if (isGiven(input, 'quiet')) return 'quiet';
  return isGiven(input, 'verbose') ? 'verbose' : 'normal';
}

/** The first Ctrl-C finishes the iteration, the second cuts it; the other signals cut at once. */
function interrupter(
  control: RunControl,
  isRunning: () => boolean,
  isWorking: () => boolean,
  tell: (text: string) => void,
): (signal: Signal) => void {
  return (signal) => {
    if (!isRunning()) {
      control.interrupt('cut');
      tell('stopping before anything is run');
      return;
    }
    const first = signal === 'SIGINT' && control.requested === null;
    control.interrupt(first ? 'finish' : 'cut');
    if (first) {
      tell(
        isWorking()
          ? 'pausing after this iteration; Ctrl-C again cuts it short; `loopwright run` goes on later'
          : 'pausing',
      );
    } else {
      tell('cutting it short; what was done is kept');
    }
  };
}

/** An iteration or a merge is under way that comes to its end first; an iteration that waits is given up. */
function isAtWork(loop: Loop): boolean {
  if (isResting(loop.status)) return awaitsMerge(loop);
  return loop.wait === null && openIteration(loop) !== null;
}

/** For people: on stdout, or on stderr when stdout belongs to a program. */
async function summarise(
  context: CliContext,
  input: CommandInput,
  opened: Opened,
  loops: readonly Loop[],
): Promise<void> {
  const isForProgram = wantsJson(input) || isGiven(input, 'events');
  if (isForProgram && isGiven(input, 'quiet')) return;
  const output = isForProgram ? context.err : context.out;
  const paint = createPaint(output.hasColour);
  const isSameForAll = loops.length > 1 && loops.every(nextRunGoesOn);
  if (loops.length > mostSummaries || isSameForAll) {
    output.write(renderCrowdSummary(loops, paint));
    return;
  }
  for (const loop of loops) {
    const files = await loopFiles(opened.project, loop);
    const { facts, next } = renderSummary(loop, files, paint);
    // The empty line belongs to the talk before it, not to the result.
    if (!isGiven(input, 'quiet')) context.err.write('\n');
    output.write(facts + next);
  }
}
