import { probeDelayMs, type ProbePace } from '../outage/outage.ts';
import type { AgentOutcome, AgentOutcomeKind } from '../agent/outcome.ts';
import { isEmptyChange } from './changes.ts';
import type { WaitCondition } from './event.ts';
import { openIteration, type Iteration, type Loop } from './loop.ts';
import type { AttemptOutcome, IterationStatus } from './status.ts';

/** What follows an agent run, beyond the usual restore → snapshot → verify. */
export type AfterAgent =
  | { readonly kind: 'proceed' }
  /** The provider is down: same iteration number, another run when it answers again; costs no iteration. */
  | { readonly kind: 'outage'; readonly text: string }
  /** Same iteration number, another run after `waitMs`; costs no iteration. */
  | {
      readonly kind: 'again';
      readonly condition: WaitCondition;
      readonly waitMs: number;
      /** The provider has named the time. */
      readonly isReset?: true;
      readonly text: string;
    };

const defaultRateLimitWaitMs = 60_000;
/** A provider that says to wait means some time, whatever its header says. */
const shortestWaitMs = 1000;
/** A reset that is near is believed, but not so often that a provider which repeats it is asked all the time. */
const shortestUsageWaitMs = 5000;
/** A reset that has passed is a clock that differs from ours. */
const passedResetWaitMs = 60_000;
const usageLookMs = 300_000;
/** No provider's window is longer; anything above is a broken clock or a hostile header. */
const maxWaitMs = 7 * 24 * 3_600_000;

/** Waits of a loop whose requests fail while others are answered, before that is taken for an error of its own. */
const mostWaitsAlone = 5;

export type AfterAgentInput = {
  /** Requests of this iteration that failed, repeated ones and the last included; and runs that hung, this one included. */
  readonly apiErrors: number;
  readonly hangs: number;
  readonly apiRetries: number;
  /** The provider is known to be down. */
  readonly isDown: boolean;
  /** It has answered another loop since the failure before this one. */
  readonly hasAnswered: boolean;
  readonly pace: ProbePace;
  /** UTC milliseconds. */
  readonly now: number;
  /** 0..1; spreads the retries by 25 %. */
  readonly chance: number;
};

export function afterAgent(outcome: AgentOutcome, input: AfterAgentInput): AfterAgent {
  switch (outcome.kind) {
    case 'rate_limited': {
      const waitMs = clamp(outcome.retryAfterMs ?? defaultRateLimitWaitMs);
      return again('rate_limit', waitMs, 'the provider limits the rate of requests');
    }
    case 'usage_limit': {
      const wait = again('usage_limit', usageWaitMs(outcome, input), 'the usage limit is reached');
      return outcome.resetAtMs === null ? wait : { ...wait, isReset: true };
    }
    case 'api_error': {
      if (outcome.fault === 'request') return { kind: 'proceed' };
      if (input.isDown) return { kind: 'outage', text: outcome.evidence };
      if (input.apiErrors <= input.apiRetries) {
        const waitMs = 1000 * 2 ** (input.apiErrors - 1) * (0.75 + input.chance / 2);
        return again('retry', Math.round(waitMs), outcome.evidence);
      }
      if (!input.hasAnswered) return { kind: 'outage', text: outcome.evidence };
      const waits = Math.floor((input.apiErrors - input.apiRetries - 1) / failedRequests(outcome));
      if (waits >= mostWaitsAlone) return { kind: 'proceed' };
      return again('retry', probeDelayMs(waits, input.pace), outcome.evidence);
    }
    case 'hung':
      return input.hangs > 1
        ? { kind: 'proceed' }
        : again('retry', 0, 'the agent hung and is started again');
    case 'done':
    case 'refused':
    case 'max_tokens':
    case 'max_turns':
    case 'budget':
    case 'context_full':
    case 'auth':
    case 'denied':
    case 'interrupted':
    case 'timeout':
    case 'crashed':
      return { kind: 'proceed' };
  }
}

function usageWaitMs({ resetAtMs }: AgentOutcome, { now }: AfterAgentInput): number {
  if (resetAtMs === null) return usageLookMs;
  const leftMs = resetAtMs - now;
  return clamp(leftMs <= 0 ? passedResetWaitMs : Math.max(leftMs, shortestUsageWaitMs));
}

function again(
  condition: WaitCondition,
  waitMs: number,
  text: string,
): Extract<AfterAgent, { kind: 'again' }> {
  return { kind: 'again', condition, waitMs, text };
}

function clamp(ms: number): number {
  const sane = Number.isFinite(ms) ? ms : defaultRateLimitWaitMs;
  return Math.min(Math.max(sane, shortestWaitMs), maxWaitMs);
}

/** Whether the agent ran to an end of its own, good or bad, with work worth judging. */
export function endedNormally(kind: AgentOutcomeKind): boolean {
  switch (kind) {
    case 'done':
    case 'max_tokens':
    case 'max_turns':
    case 'budget':
    case 'context_full':
    case 'denied':
    case 'refused':
      return true;
    case 'rate_limited':
    case 'usage_limit':
    case 'auth':
    case 'api_error':
    case 'interrupted':
    case 'timeout':
    case 'hung':
    case 'crashed':
      return false;
  }
}

/** Verification runs after every ending except limits, auth and interruption; after crashes only if files changed. */
export function needsVerification(loop: Loop): boolean {
  const iteration = openIteration(loop);
  if (iteration === null || iteration.agent === null || !loop.options.verify) return false;
  const { kind } = iteration.agent;
  if (endedNormally(kind)) return true;
  if (kind === 'crashed' || kind === 'timeout' || kind === 'api_error' || kind === 'hung') {
    return iteration.changes !== null && !isEmptyChange(iteration.changes);
  }
  return false;
}

/** Whether the agent did not get to an end of its own, and left nothing to be verified. */
export function didNothing({ agent, report }: Iteration): boolean {
  return report === null && (agent === null || !endedNormally(agent.kind));
}

export function iterationStatusOf(iteration: Iteration): IterationStatus {
  const kind = iteration.agent?.kind ?? 'interrupted';
  if (kind === 'interrupted') return 'interrupted';
  if (kind === 'timeout' || kind === 'hung') return 'timed_out';
  return endedNormally(kind) && kind !== 'refused' ? 'completed' : 'failed';
}

/** Whether it counts against `max-iterations`: not when the provider or the key kept the agent from working at all. */
export function countsAsIteration({ agent, report }: Iteration): boolean {
  return report !== null || (agent?.kind !== 'api_error' && agent?.kind !== 'auth');
}

/** 001's column, before it is known whether this iteration completes the loop. */
export function attemptOutcomeOf(iteration: Iteration, completes: boolean): AttemptOutcome {
  if (completes) return 'done';
  const agent = iteration.agent;
  if (agent === null || agent.kind === 'interrupted') return 'interrupted';
  if (agent.kind === 'timeout' || agent.kind === 'hung') return 'timed_out';
  if (!endedNormally(agent.kind)) return 'error';
  if (agent.claim !== null || agent.kind === 'refused') return 'failed';
  return 'no_sigil';
}

/** How many failures of the API a run stands for. */
export function failedRequests({
  kind,
  retries = 0,
}: Pick<AgentOutcome, 'kind' | 'retries'>): number {
  return kind === 'api_error' ? 1 + retries : 0;
}

/** Wait after an iteration that ended in an error: doubling, up to a limit; 0 when there was none. */
export function errorBackoffMs(loop: Loop): number {
  if (loop.errorStreak === 0) return 0;
  const { 'error-backoff': first, 'max-error-backoff': longest } = loop.settings.limits;
  return Math.min(first * 2 ** (loop.errorStreak - 1), longest);
}
