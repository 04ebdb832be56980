import { type Progress, progressOfEach } from './activity.ts';
import type { BaseSummary, IterationSummary } from './strategy.ts';
import { stuckPattern } from './stuck-pattern.ts';

/**
 * The one ladder from "going well" to "given up". It looks at the counted iterations of a loop and says what
 * follows from the newest one. It keeps no state: notices given earlier are found again by folding the list.
 *
 * - none: nothing to say.
 * - notice: a text for the next prompt. `no_progress` after 3 successive iterations without progress, repeated
 *   while they go on (each iteration starts with a fresh context). `change_approach` when a stuck pattern shows.
 * - end: `no_progress` after 5 successive iterations without progress. `stuck` when a pattern was noticed, the
 *   next 3 iterations got their chance, and the pattern showed again among them; a level above its best
 *   clears the notice, and so do two iterations with progress at the end of the chance.
 *
 * When both ends fall on one iteration it is `no_progress` if the files never moved, else `stuck`.
 */
export type LadderStep =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'notice';
      readonly notice: 'no_progress' | 'change_approach';
      readonly text: string;
    }
  | { readonly kind: 'end'; readonly reason: 'no_progress' | 'stuck'; readonly text: string };

export type LadderOptions = {
  readonly noticeAfter?: number;
  readonly endAfter?: number;
  /** Iterations that get the change-of-approach notice before the loop is called stuck. */
  readonly chance?: number;
  readonly base?: BaseSummary;
};

export function ladderStep(
  iterations: readonly IterationSummary[],
  options: LadderOptions = {},
): LadderStep {
  const limits = {
    noticeAfter: options.noticeAfter ?? 3,
    endAfter: options.endAfter ?? 5,
    chance: options.chance ?? 3,
  };
  const progress = progressOfEach(iterations, options);
  let rung: Rung = { streak: 0, trial: null, step: { kind: 'none' } };
  for (let index = 0; index < iterations.length; index += 1) {
    rung = climb(rung, { iterations, progress, index, limits });
  }
  return rung.step;
}

type Rung = {
  /** Successive iterations without progress, the newest included. */
  readonly streak: number;
  /** The change-of-approach notice under way: where it was given, whether the pattern came back. */
  readonly trial: { readonly noticed: number; readonly seenAgain: boolean } | null;
  readonly step: LadderStep;
};

type View = {
  readonly iterations: readonly IterationSummary[];
  readonly progress: readonly Progress[];
  readonly index: number;
  readonly limits: Readonly<Record<'noticeAfter' | 'endAfter' | 'chance', number>>;
};

function climb(before: Rung, view: View): Rung {
  const { iterations, progress, index, limits } = view;
  const now = progress[index];
  const streak = now?.progress === true ? 0 : before.streak + 1;
  const pattern =
    streak === 0 ? null : stuckPattern(iterations.slice(Math.max(0, index - 4), index + 1));
  const running = now?.levelRose === true ? null : before.trial;

  if (running === null) {
    const trial = pattern === null ? null : { noticed: index, seenAgain: false };
    if (streak >= limits.endAfter) return { streak, trial, step: endNoProgress(streak) };
    if (pattern !== null) return { streak, trial, step: noticeChange(pattern) };
    return { streak, trial, step: noticeOrNone(streak, pattern, limits.noticeAfter) };
  }

  const trial = { ...running, seenAgain: running.seenAgain || pattern !== null };
  const over = index - trial.noticed >= limits.chance;
  const stuck = over && trial.seenAgain && !recovered(progress, index);
  const left = over ? null : trial;
  if (streak >= limits.endAfter && (!stuck || onOneTree(iterations, index, streak))) {
    return { streak, trial: left, step: endNoProgress(streak) };
  }
  if (stuck) return { streak, trial: left, step: endStuck(pattern, limits.chance) };
  return { streak, trial: left, step: noticeOrNone(streak, pattern, limits.noticeAfter) };
}

function recovered(progress: readonly Progress[], index: number): boolean {
  return progress.slice(Math.max(0, index - 1), index + 1).every((each) => each.progress);
}

function onOneTree(
  iterations: readonly IterationSummary[],
  index: number,
  streak: number,
): boolean {
  const recent = iterations.slice(index + 1 - streak, index + 1);
  return new Set(recent.map((each) => each.tree)).size === 1;
}

function noticeOrNone(streak: number, pattern: string | null, noticeAfter: number): LadderStep {
  if (streak >= noticeAfter) return noticeNoProgress(streak, pattern);
  return pattern === null ? { kind: 'none' } : noticeChange(pattern);
}

function noticeNoProgress(streak: number, pattern: string | null): LadderStep {
  const seen = pattern === null ? '' : ` ${pattern}`;
  return {
    kind: 'notice',
    notice: 'no_progress',
    text: `The last ${streak} iterations made no progress: no new state of the files and no better check result.${seen} Read the failing checks again, find the cause before editing, and make a change that can be verified.`,
  };
}

function noticeChange(pattern: string): LadderStep {
  return {
    kind: 'notice',
    notice: 'change_approach',
    text: `${pattern} Change the approach: do not repeat the earlier edits, question the assumption behind them, and try a different cause or a smaller step.`,
  };
}

function endNoProgress(streak: number): LadderStep {
  return {
    kind: 'end',
    reason: 'no_progress',
    text: `No progress in ${streak} successive iterations: no new state of the files and no better check result.`,
  };
}

function endStuck(pattern: string | null, chance: number): LadderStep {
  const seen = pattern ?? 'The earlier pattern came back.';
  return {
    kind: 'end',
    reason: 'stuck',
    text: `${seen} It was seen again within ${chance} iterations after the notice to change the approach.`,
  };
}
