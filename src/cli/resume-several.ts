import { isSelector } from '../core/coordinate/selector.ts';
import { isLoopwrightError, LoopwrightError } from '../core/error.ts';
import { exitCodeOfLoop } from '../core/loop/finishing.ts';
import type { Loop } from '../core/loop/loop.ts';
import { combineExitCodes, isResting } from '../core/loop/status.ts';
import type { Opened } from '../daemon/compose.ts';
import type { Engine } from '../engine/engine.ts';
import { loopFiles } from '../engine/loop-files.ts';
import { findResumable } from '../engine/resumable.ts';
import { loopResult } from '../protocol/loop-result.ts';
import type { CommandInput } from './command.ts';
import type { CliContext } from './context.ts';
import { exitCodes } from './exit-code.ts';
import { driveInForeground, type Drive, type Driven } from './foreground.ts';
import { argument, isGiven, numberOption, usageError, wantsJson } from './input.ts';
import { resolveLoops } from './resolve-loop.ts';
import { settingsForResume } from './resume-settings.ts';
import { flagValues } from './setting-options.ts';
import { slotOptions } from './slot-options.ts';
import { tellCutShort } from './cut-short.ts';

/** The loops that `--all`, a selector or a name means. */
export async function loopsToResume(engine: Engine, input: CommandInput): Promise<readonly Loop[]> {
  const reference = argument(input, 'LOOP');
  if (isGiven(input, 'all')) {
    if (reference !== null) throw usageError('give either a loop or --all, not both');
    return findResumable(engine, flagValues(input));
  }
  if (reference === null) throw usageError('say which loop, or --all');
  const meant = await resolveLoops(engine, reference);
  return isSelector(reference) ? meant.filter(couldGoOn) : meant;
}

function couldGoOn({ status }: Loop): boolean {
  return isResting(status) && status !== 'complete';
}

/** There is no daemon: the loops go on here, `--jobs` at a time. */
export function resumeSeveralHere(input: CommandInput, context: CliContext): Promise<number> {
  if (numberOption(input, 'jobs') === 0) throw usageError('--jobs takes a number above 0');
  return driveInForeground(
    context,
    input,
    flagValues(input),
    (opened, say) => prepare(input, opened, say),
    (driven) => report(input, context, driven),
  );
}

async function prepare(
  input: CommandInput,
  opened: Opened,
  say: (text: string) => void,
): Promise<Drive> {
  const found = await loopsToResume(opened.engine, input);
  if (found.length === 0) throw nothingGoesOn();
  const isReloaded = isGiven(input, 'reload');
  const loops = [];
  for (const loop of found) {
    try {
      const changed = await settingsForResume(opened, loop, flagValues(input), isReloaded);
      loops.push({ loopId: loop.id, changed });
    } catch (error) {
      // One that is at its limit keeps no other from going on.
      if (!isLoopwrightError(error) || error.code !== 'loop.spent') throw error;
      say(`${error.message}${error.hint === null ? '' : `; ${error.hint}`}`);
    }
  }
  // Each was told why.
  if (loops.length === 0) throw nothingGoesOn();
  const options = { inPlace: false, commit: true, verify: true, keepGoing: false };
  return {
    request: { kind: 'loops', loops },
    options: {
      loop: options,
      jobs: numberOption(input, 'jobs') ?? 1,
      allowDirty: true,
      wait: isGiven(input, 'wait'),
      ...slotOptions(input, opened),
      planFor: (task) => opened.planFor(task, true),
    },
  };
}

function nothingGoesOn(): LoopwrightError {
  return new LoopwrightError('run.nothing_to_do', 'no loop rests that could continue', {
    hint: 'see what there is with `loopwright status`; a loop that its own budget stopped continues with a larger one (`loopwright resume --all --max-cost-usd USD`), and failed tasks get another loop with `loopwright run --retry-failed`',
  });
}

async function report(
  input: CommandInput,
  context: CliContext,
  { outcome, opened }: Driven,
): Promise<number> {
  const loops = outcome?.loops ?? [];
  const codes = loops.map((loop) => exitCodeOfLoop(loop) ?? exitCodes.interrupted);
  const held =
    outcome === null ? [] : await tellCutShort(context, opened, outcome, 'loopwright resume --all');
  const exitCode = outcome === null ? exitCodes.interrupted : combineExitCodes([...codes, ...held]);
  if (!wantsJson(input)) return exitCode;
  const results = [];
  for (const loop of loops) {
    results.push(loopResult(loop, (await loopFiles(opened.project, loop)).changed));
  }
  context.out.write(`${JSON.stringify({ loops: results, exitCode })}\n`);
  return exitCode;
}
