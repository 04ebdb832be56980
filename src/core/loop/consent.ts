/**
 * When a loop asks a person before it goes on, by its mode.
 *
 * - `attended`: before every iteration, and about what every iteration changed.
 * - `hybrid`: about what was changed since the last answer, when that is many files or many iterations ago.
 * - `unattended`: only about an iteration that changed very much.
 *
 * What is asked about is also asked before the loop may be complete. A yes holds for everything up to that iteration; after a
 * no the loop goes on with the reason in its prompt.
 */
import type { LoopEvent } from './event.ts';
import { changedPaths, countChanged, noChanges } from './changes.ts';
import { lastIteration, type Iteration, type Loop } from './loop.ts';
import { plural } from '../text/plural.ts';

export type Question = {
  /** Whether to start this iteration, or what the ones up to it have changed. */
  readonly kind: 'start' | 'changes';
  readonly iteration: number;
  readonly text: string;
};

/** A question that waits for its answer. */
export type Asked = Question & {
  /** UTC milliseconds after which silence is a yes; null: never. */
  readonly until: number | null;
};

/** The highest numbers that were answered. */
export type Consent = { readonly start: number; readonly changes: number };

export const noConsent: Consent = { start: 0, changes: 0 };

/** What has to be asked before the loop goes on or is complete; null: nothing. */
export function dueQuestion(loop: Loop): Question | null {
  const { mode } = loop.settings;
  const { options, consent = noConsent } = loop;
  if (options.verifyOnly || (options.keepGoing && mode.name === 'unattended')) return null;
  const unanswered = loop.iterations.filter(({ number }) => number > consent.changes);
  const why = whyAsk(loop, unanswered);
  const last = lastIteration(loop)?.number ?? 0;
  if (why !== null) return { kind: 'changes', iteration: last, text: why };
  if (mode.name !== 'attended' || consent.start > last || endsComplete(loop)) return null;
  return { kind: 'start', iteration: last + 1, text: `start iteration ${last + 1}?` };
}

/** Null: nobody needs to look at these. */
function whyAsk({ settings: { mode } }: Loop, unanswered: readonly Iteration[]): string | null {
  const untracked = unanswered.reduce((sum, { changes }) => sum + (changes?.untracked ?? 0), 0);
  const files = new Set(unanswered.flatMap(filesOf)).size + untracked;
  const lines = unanswered.reduce((sum, { changes }) => sum + (changes?.lines ?? 0), 0);
  const since = unanswered.filter(({ counted }) => counted).length;
  const changed = `${files} ${files === 1 ? 'file' : 'files'}, ${lines} ${lines === 1 ? 'line' : 'lines'}`;
  switch (mode.name) {
    case 'attended':
      return files === 0 ? null : `are these changes right? (${changed})`;
    case 'hybrid':
      if (files >= mode['ask-files']) return `are these changes right? (${changed})`;
      return since < mode['ask-every']
        ? null
        : `shall it go on after ${since} iterations? (${changed})`;
    case 'unattended':
      return unanswered.map((each) => tooMuch(each, mode)).find((text) => text !== null) ?? null;
  }
}

function filesOf({ changes }: Iteration): readonly string[] {
  return changes === null ? [] : changedPaths(changes);
}

function tooMuch(iteration: Iteration, mode: Loop['settings']['mode']): string | null {
  const { 'max-changed-files': maxFiles, 'max-changed-lines': maxLines } = mode;
  const files = countChanged(iteration.changes ?? noChanges);
  const lines = iteration.changes?.lines ?? 0;
  if (maxFiles > 0 && files > maxFiles) {
    return `iteration ${iteration.number} changed ${plural(files, 'file')}, more than mode.max-changed-files (${maxFiles})`;
  }
  if (maxLines > 0 && lines > maxLines) {
    return `iteration ${iteration.number} changed ${plural(lines, 'line')}, more than mode.max-changed-lines (${maxLines})`;
  }
  return null;
}

/** Whether silence may answer, and after how long. */
export function silenceMs({ mode }: Loop['settings']): number | null {
  const ms = mode['auto-approve-after'];
  return mode.name === 'hybrid' && ms > 0 ? ms : null;
}

/** The decision is to be complete, and only a person's answer is missing: it stays in force through resumes. */
export function isHeldForConsent(loop: Loop): boolean {
  if (!endsComplete(loop)) return false;
  return loop.asked !== undefined || (loop.status === 'blocked' && loop.reason === 'approval');
}

function endsComplete(loop: Loop): boolean {
  const last = lastIteration(loop);
  const isHistory = last === null || loop.resumedAfter >= last.number;
  return !isHistory && last.decision?.end?.status === 'complete';
}

/** The question is answered: with a yes for what is asked about, and for the iteration after it. */
export function consented(loop: Loop): Loop {
  const { asked, consent = noConsent, ...rest } = loop;
  if (asked === undefined) return loop;
  const last = lastIteration(loop)?.number ?? 0;
  const changes = asked.kind === 'changes' ? last : consent.changes;
  return { ...rest, consent: { changes, start: last + 1 } };
}

/** Nobody needs to answer any more. */
export function withoutQuestion({ asked: _asked, ...loop }: Loop): Loop {
  return loop;
}

export function withQuestion(
  loop: Loop,
  { question, until }: Extract<LoopEvent, { type: 'approval.asked' }>,
): Loop {
  return { ...loop, asked: { ...question, until } };
}
