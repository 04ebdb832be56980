import { formatDuration } from '../config/duration.ts';
import type { OutageLook } from '../outage/outage.ts';
import { exceededBudget, unaffordable } from './budget.ts';
import { needsVerification } from './agent-policy.ts';
import { mustPromptAgain } from './agent-session.ts';
import { dueQuestion, type Question } from './consent.ts';
import type { Rest } from './judge.ts';
import {
  isCapReached,
  lastIteration,
  looksAtFiles,
  nextAttempt,
  openIteration,
  type Loop,
  type Wait,
} from './loop.ts';
import { isResting, type RestReason, type RestStatus } from './status.ts';

/** What the owner knows beside the log when it asks what to do next. */
export type Facts = {
  /** UTC milliseconds, but for settings of the clock since a wait began. */
  readonly now: number;
  /** UTC milliseconds as the clock says them. */
  readonly wallNow: number;
  /** Where the base branch is now; null when unknown or not watched. */
  readonly baseHead: string | null;
  /** Asked by a person or a signal. `finish`: at the boundary. `cut`: now. */
  readonly request: Request | null;
  /** Messages wait to be read. */
  readonly hasMail: boolean;
  /** The budget of the run or the day is used up, in words; absent or null: it is not. */
  readonly spent?: string | null;
  /** What a loop that waits for a provider finds; absent: it waits for none. */
  readonly outage?: OutageLook;
};

export type Request = {
  readonly kind: 'pause' | 'stop' | 'cancel' | 'interrupt';
  readonly when: 'finish' | 'cut';
};

/** The next thing to do, as data. The engine performs it and appends what happened. */
export type Action =
  | { readonly type: 'open-workspace' }
  | { readonly type: 'wait'; readonly leftMs: number }
  | { readonly type: 'wake' }
  | { readonly type: 'verify-baseline' }
  | { readonly type: 'read-messages' }
  | { readonly type: 'rebase'; readonly onto: string }
  | { readonly type: 'ask'; readonly question: Question }
  /** Nobody has answered in time. */
  | { readonly type: 'assume-yes' }
  | { readonly type: 'start-iteration'; readonly number: number; readonly attempt: number }
  | { readonly type: 'choose-model' }
  | { readonly type: 'build-prompt' }
  | { readonly type: 'run-hooks'; readonly when: 'pre' | 'post' }
  | { readonly type: 'run-agent'; readonly try: number }
  | { readonly type: 'restore-protected' }
  | { readonly type: 'take-snapshot' }
  | { readonly type: 'verify' }
  /** `why`: it is not cut short on request. */
  | { readonly type: 'conclude'; readonly interrupted: boolean; readonly why?: string }
  | { readonly type: 'judge' }
  | {
      readonly type: 'rest';
      readonly status: RestStatus;
      readonly reason: RestReason;
      readonly text: string;
    }
  /** Nothing is left to do for this owner. */
  | { readonly type: 'done' };

/** What should happen next. Pure: the same loop and facts always give the same action. */
export function decide(loop: Loop, facts: Facts): Action {
  if (isResting(loop.status)) return { type: 'done' };
  const end = decidedEnd(loop);
  if (end !== null) {
    const question = end.status === 'complete' ? questionFirst(loop, facts) : null;
    if (question === null) return { type: 'rest', ...end };
    return loop.wait === null ? question : whileWaiting(loop, loop.wait, facts);
  }
  const cut = facts.request?.when === 'cut' ? facts.request : null;
  if (cut !== null && openIteration(loop) === null) return restFor(cut);
  if (loop.wait !== null) return whileWaiting(loop, loop.wait, facts);
  if (!loop.opened) return { type: 'open-workspace' };
  if (cut !== null && openIteration(loop) !== null) return cutShort(loop);
  return atStep(loop, facts);
}

function whileWaiting(loop: Loop, { until, condition, isReset }: Wait, facts: Facts): Action {
  if (facts.request !== null) {
    // A wait inside an iteration is given up with it; the number stays used and does not count.
    if (openIteration(loop) !== null) return { type: 'conclude', interrupted: true };
    return restFor(facts.request);
  }
  if (facts.spent != null && endsWithBudget(loop)) {
    if (openIteration(loop) !== null) return { type: 'conclude', interrupted: true };
    return { type: 'rest', status: 'stopped', reason: 'budget', text: facts.spent };
  }
  if (condition === 'approval' && facts.hasMail) return { type: 'read-messages' };
  if (condition === 'approval' && loop.asked === undefined) return { type: 'wake' };
  if (condition === 'outage' && facts.outage !== undefined) {
    return whileDown(loop, facts.outage);
  }
  const leftMs = until - (isReset === true ? facts.wallNow : facts.now);
  return leftMs > 0 ? { type: 'wait', leftMs } : { type: 'wake' };
}

/** Whether a wait is over when the budget of the run is used up: nothing could follow it. A person's answer may still come. */
export function endsWithBudget({ wait }: Loop): boolean {
  if (wait === null || wait.condition === 'approval') return false;
  return wait.then === 'boundary' || wait.then === 'run-agent';
}

/** A probe is made by going on: before its agent starts it becomes the one that probes, or waits again. */
function whileDown(loop: Loop, look: OutageLook): Action {
  switch (look.kind) {
    case 'over':
    case 'probe':
      return { type: 'wake' };
    case 'wait':
      return { type: 'wait', leftMs: look.leftMs };
    case 'give-up': {
      const text = outageEnd(loop);
      if (openIteration(loop) !== null) return { type: 'conclude', interrupted: true, why: text };
      return { type: 'rest', status: 'paused', reason: 'outage', text };
    }
  }
}

function outageEnd({ settings }: Loop): string {
  const longest = formatDuration(settings.limits['max-outage']);
  return `the provider has not answered for ${longest} (limits.max-outage); \`loopwright run\` tries it again`;
}

/** An interrupted iteration still keeps its files: snapshot, then the end without a verdict. */
function cutShort(loop: Loop): Action {
  const iteration = openIteration(loop);
  if (
    iteration === null ||
    iteration.tree !== null ||
    loop.step === 'conclude' ||
    !looksAtFiles(loop)
  ) {
    return { type: 'conclude', interrupted: true };
  }
  return iteration.tries === 0
    ? { type: 'conclude', interrupted: true }
    : loop.step === 'snapshot'
      ? { type: 'take-snapshot' }
      : { type: 'restore-protected' };
}

/** Another run after one that ended badly starts fresh, with a prompt for that. */
function runAgent(loop: Loop): Action {
  const iteration = openIteration(loop);
  if (iteration !== null && mustPromptAgain(loop, iteration)) return { type: 'build-prompt' };
  return { type: 'run-agent', try: (iteration?.tries ?? 0) + 1 };
}

function atStep(loop: Loop, facts: Facts): Action {
  switch (loop.step) {
    case 'baseline':
      if (facts.request !== null) return restFor(facts.request);
      // Judging the base itself means the base as it is now.
      return loop.options.verifyOnly && hasBaseMoved(loop, facts)
        ? { type: 'rebase', onto: facts.baseHead }
        : { type: 'verify-baseline' };
    case 'boundary':
      return atBoundary(loop, facts);
    case 'choose-model':
      return { type: 'choose-model' };
    case 'build-prompt':
      return { type: 'build-prompt' };
    case 'pre-hooks':
      return { type: 'run-hooks', when: 'pre' };
    case 'run-agent':
      // Nothing was spent on this try: the number stays used and does not count.
      if (facts.spent != null) return { type: 'conclude', interrupted: true };
      return runAgent(loop);
    case 'restore-protected':
      return looksAtFiles(loop)
        ? { type: 'restore-protected' }
        : { type: 'conclude', interrupted: false };
    case 'snapshot':
      return { type: 'take-snapshot' };
    case 'verify':
      return needsVerification(loop)
        ? { type: 'verify' }
        : { type: 'conclude', interrupted: false };
    case 'conclude':
      return { type: 'conclude', interrupted: false };
    case 'post-hooks':
      return { type: 'run-hooks', when: 'post' };
    case 'judge':
      return { type: 'judge' };
  }
}

/** What the mode of the loop wants a person to say first; null: nothing. */
function questionFirst(loop: Loop, { now }: Facts): Action | null {
  const question = dueQuestion(loop);
  if (question === null) return null;
  const until = loop.asked?.until ?? null;
  return until !== null && now >= until ? { type: 'assume-yes' } : { type: 'ask', question };
}

/** Between iterations: what was asked first, then the caps, then the next iteration. */
function atBoundary(loop: Loop, facts: Facts): Action {
  const last = lastIteration(loop);
  if (loop.options.verifyOnly) return afterVerifyOnly(loop);
  if (facts.request !== null) return restFor(facts.request);
  const fault = setupFaultOf(loop);
  if (fault !== null) return { type: 'rest', status: 'blocked', reason: 'setup', text: fault };
  if (facts.hasMail) return { type: 'read-messages' };
  if (loop.stopWish !== undefined) return stopForHook(loop.stopWish);
  const budget = exceededBudget(loop) ?? unaffordable(loop) ?? facts.spent ?? null;
  if (budget !== null) {
    return { type: 'rest', status: 'stopped', reason: 'budget', text: budget };
  }
  if (isCapReached(loop)) {
    const text = `reached max-iterations (${loop.settings.limits['max-iterations']})`;
    return { type: 'rest', status: 'failed', reason: 'max_iterations', text };
  }
  const question = questionFirst(loop, facts);
  if (question !== null) return question;
  if (hasBaseMoved(loop, facts)) return { type: 'rebase', onto: facts.baseHead };
  const number = (last?.number ?? 0) + 1;
  return { type: 'start-iteration', number, attempt: nextAttempt(loop) };
}

/** A check that cannot run proves nothing, however the work ends. Null: all can, or the task is to make it run. */
function setupFaultOf({ baseline, settings }: Loop): string | null {
  if (baseline?.state !== 'broken' || settings.verify.baseline === 'allow-broken') return null;
  return baseline.fault ?? 'a check could not run on the base';
}

function stopForHook(reason: string): Action {
  const text = `a post-iteration hook says stop${reason === '' ? '' : `: ${reason}`}`;
  return { type: 'rest', status: 'stopped', reason: 'stop_condition', text };
}

function hasBaseMoved(loop: Loop, facts: Facts): facts is Facts & { readonly baseHead: string } {
  return (
    loop.workspace.mode === 'worktree' &&
    // Without commits there is nothing to put on top of the new base.
    loop.options.commit &&
    facts.baseHead !== null &&
    facts.baseHead !== loop.workspace.base
  );
}

/** A decision ends the loop once, and no request stands in its way; after a resume the same decision is history. */
function decidedEnd(loop: Loop): Rest | null {
  const last = lastIteration(loop);
  if (loop.step !== 'boundary' || last === null || loop.resumedAfter >= last.number) return null;
  return last.decision?.end ?? null;
}

function afterVerifyOnly(loop: Loop): Action {
  if (loop.baseline?.state === 'green') {
    return { type: 'rest', status: 'complete', reason: 'verified', text: 'the validation passed' };
  }
  const text = 'all children are done, but the validation of the task itself does not pass';
  return { type: 'rest', status: 'blocked', reason: 'gate', text };
}

function restFor(request: Request): Action {
  switch (request.kind) {
    case 'pause':
      return { type: 'rest', status: 'paused', reason: 'user', text: 'paused on request' };
    case 'stop':
      return { type: 'rest', status: 'stopped', reason: 'user', text: 'stopped on request' };
    case 'cancel':
      return { type: 'rest', status: 'stopped', reason: 'cancelled', text: 'cancelled' };
    case 'interrupt':
      return { type: 'rest', status: 'paused', reason: 'interrupted', text: 'interrupted' };
  }
}
