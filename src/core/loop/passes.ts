/**
 * A loop whose type has review passes goes through them one by one, each in an iteration of its own with a focus and a
 * check of its own. All state is in the iterations: a pass is behind the loop when its check passed.
 */
import { allChecks } from '../verdict/report.ts';
import { isEmptyChange, noChanges } from './changes.ts';
import type { Iteration, Loop } from './loop.ts';

export type Pass = {
  readonly name: string;
  /** What the agent looks at in this pass, and at nothing else. */
  readonly focus: string;
};

export type PassState = {
  readonly passes: readonly Pass[];
  /** The pass that is under way or next, from 0; the last one stays until all checks pass. */
  readonly index: number;
  readonly pass: Pass;
  /** Passes in a row that changed nothing. */
  readonly unchanged: number;
  /** Why the review is at its end; null: passes are left. */
  readonly end: 'all' | 'unchanged' | null;
};

/** So many passes in a row without a change end the review. */
const mostUnchanged = 2;

/** The name of the check of a pass among the validation commands. */
export function passCheck(name: string): string {
  return `pass-${name}`;
}

/** Where the review is after the iterations that have ended; null: the type has no passes. */
export function passState(loop: Pick<Loop, 'prompt' | 'iterations'>): PassState | null {
  const passes = loop.prompt.passes ?? [];
  const [first] = passes;
  if (first === undefined) return null;
  const start: PassState = { passes, index: 0, pass: first, unchanged: 0, end: null };
  return loop.iterations.filter(isJudged).reduce(afterPass, start);
}

function isJudged({ endedAt, report, status }: Iteration): boolean {
  return endedAt !== null && report !== null && status !== 'interrupted';
}

function afterPass(before: PassState, iteration: Iteration): PassState {
  // The loop went on although the review had ended: what was missing counts as a new beginning.
  const state = before.end === null ? before : { ...before, end: null, unchanged: 0 };
  const { passes, index, pass } = state;
  const changed = !isEmptyChange(iteration.changes ?? noChanges);
  if (!hasPassed(iteration, state)) return { ...state, unchanged: changed ? 0 : state.unchanged };
  const unchanged = changed ? 0 : state.unchanged + 1;
  const isWhole = iteration.report?.overall.passed === true;
  if (index === passes.length - 1) return { ...state, unchanged, end: isWhole ? 'all' : null };
  const next = { ...state, index: index + 1, pass: passes[index + 1] ?? pass };
  if (unchanged < mostUnchanged) return { ...next, unchanged };
  return { ...next, unchanged: 0, end: isWhole ? 'unchanged' : null };
}

/** The check of the pass and all that belong to no pass have passed. */
function hasPassed({ report }: Iteration, { pass, passes }: PassState): boolean {
  if (report === null) return false;
  const checks = allChecks(report).map(({ check }) => check);
  const ofPasses = new Set(passes.map(({ name }) => passCheck(name)));
  const own = checks.find(({ name }) => name === passCheck(pass.name));
  return (
    own?.passed === true &&
    checks.every(({ name, passed }) => passed !== false || ofPasses.has(name))
  );
}

/**
 * The loop as the checks of its open iteration see it: with the check of its pass alone, or with those of all passes when this
 * iteration may end the review. What ends it has been executed as a whole.
 */
export function forDuePass(loop: Loop): Loop {
  const state = passState(loop);
  const open = loop.iterations.at(-1);
  if (state === null || open === undefined) return loop;
  const isUnchanged = open.tree === null || open.tree === open.startTree;
  const mayEnd =
    state.index === state.passes.length - 1 ||
    (isUnchanged && state.unchanged + 1 >= mostUnchanged) ||
    state.end !== null;
  if (mayEnd) return loop;
  const { validation } = loop.settings;
  const others = new Set(state.passes.map(({ name }) => passCheck(name)));
  others.delete(passCheck(state.pass.name));
  const commands = Object.fromEntries(
    Object.entries(validation.commands).filter(([name]) => !others.has(name)),
  );
  return { ...loop, settings: { ...loop.settings, validation: { ...validation, commands } } };
}

/** `2 of 5: correctness`. */
export function passTitle({ passes, index, pass }: PassState): string {
  return `${index + 1} of ${passes.length}: ${pass.name}`;
}

/** What is left of the review, in words; null: nothing, or there is none. */
export function passesLeft(loop: Pick<Loop, 'prompt' | 'iterations'>): string | null {
  const state = passState(loop);
  return state === null || state.end !== null ? null : `review pass ${passTitle(state)} is due`;
}

/** Whether the newest iteration has brought its pass to its end. */
export function hasEndedPass(loop: Pick<Loop, 'prompt' | 'iterations'>): boolean {
  const before = passState({ ...loop, iterations: loop.iterations.slice(0, -1) });
  const after = passState(loop);
  if (before === null || after === null) return false;
  return after.index > before.index || after.end !== null;
}
