import type { LoopEvent } from '../../core/loop/event.ts';
import { errorBackoffMs } from '../../core/loop/agent-policy.ts';
import { budgetsAbove, exceededBudget, warnAtShare } from '../../core/loop/budget.ts';
import { isConfirmed } from '../../core/loop/confirming.ts';
import { baseMoveFeedback } from '../../core/loop/base-text.ts';
import { limitFeedback } from '../../core/loop/end-text.ts';
import { judge, type Decision } from '../../core/loop/judge.ts';
import { summariseBase, summariseHistory } from '../../core/loop/iteration-summary.ts';
import { feedbackOf } from '../../core/loop/loop-feedback.ts';
import { countedIterations, type Loop } from '../../core/loop/loop.ts';
import { progressOfEach } from '../../core/strategy/activity.ts';
import { ladderStep, type LadderStep } from '../../core/strategy/ladder.ts';
import type { StopResult } from '../../core/verdict/stop-condition.ts';
import { lookAtCompletion } from '../completion.ts';
import { confirmIteration } from '../confirm-iteration.ts';
import { lookAtNextGate } from '../look-at-gate.ts';
import { exceededDisk } from '../disk-budget.ts';
import { stuckText } from '../../core/loop/stuck.ts';
import type { Engine } from '../engine.ts';
import type { LoopOwner } from '../loop-owner.ts';
import { askStrategy } from '../tell-strategy.ts';

/**
 * Gathers everything a decision is made from, decides purely, and stores the decision with the next step. When the rules
 * of done hold, the loop's gates come first, one at a time: each is a fact, after which this is called again.
 */
export async function judgeIteration(engine: Engine, owner: LoopOwner): Promise<void> {
  const { completion, stops } = await lookAtCompletion(engine, owner, owner.loop);
  const isOpen = completion.complete && exceededBudget(owner.loop) === null;
  if (isOpen && (await confirmIteration(engine, owner))) return;
  if (isOpen && isConfirmed(owner.loop) && (await lookAtNextGate(engine, owner))) return;
  const { loop } = owner;
  const history = summariseHistory(loop);
  const progress = progressOfEach(history, { base: summariseBase(loop) }).at(-1) ?? null;
  const ladder = ladderFor(loop, history);
  const strategy = await askStrategy(engine, loop, history);
  const decision = judge(loop, {
    completion,
    strategy: strategy.decision,
    ladder,
    stopConditions: stops,
    checkFeedback: feedbackOf(loop),
    told: [baseMoveFeedback(loop), limitFeedback(loop)].filter((each) => each !== null),
    diskExceeded: await exceededDisk(engine, owner),
    inputs: {
      completion: completion.text,
      strategy: {
        name: strategy.name,
        continue: strategy.decision.continue,
        reason: strategy.decision.reason,
      },
      ladder: ladder.kind === 'none' ? 'none' : ladder.text,
      progress,
      stopConditions: stops,
      counted: countedIterations(loop),
      maxIterations: loop.settings.limits['max-iterations'],
    },
  });
  await owner.record(
    ...strategy.warnings.map((text): LoopEvent => ({ type: 'warning.raised', text })),
    ...newBudgetWarnings(loop).map((text): LoopEvent => ({ type: 'warning.raised', text })),
    ...newStopProblems(loop, stops).map((text): LoopEvent => ({ type: 'warning.raised', text })),
    ...stuckWarning(loop, decision).map((text): LoopEvent => ({ type: 'warning.raised', text })),
    { type: 'decision.made', decision },
    ...pauseAfter(owner.now, loop, decision),
  );
}

/** Told once, when the task becomes stuck; the prompt says it to the agent. */
function stuckWarning(loop: Loop, { end }: Decision): readonly string[] {
  if (end?.status === 'complete') return [];
  if (loop.consecutiveFailures !== loop.settings.memory['stuck-after']) return [];
  return [stuckText(loop)];
}

function ladderFor(loop: Loop, history: Parameters<typeof ladderStep>[0]): LadderStep {
  const { 'no-progress-notice': notice, 'no-progress-limit': limit } = loop.settings.limits;
  return ladderStep(history, {
    noticeAfter: notice === 0 ? Number.POSITIVE_INFINITY : notice,
    endAfter: limit === 0 ? Number.POSITIVE_INFINITY : limit,
    base: summariseBase(loop),
  });
}

/** Each budget warns once. */
function newBudgetWarnings(loop: Loop): readonly string[] {
  return budgetsAbove(loop, warnAtShare).filter((text) => {
    const name = text.split(':')[0] ?? text;
    return !loop.warnings.some((warning) => warning.startsWith(name));
  });
}

/** A condition that could not be looked at counts as not met, which is told once. */
function newStopProblems(loop: Loop, stops: readonly StopResult[]): readonly string[] {
  const texts = stops.flatMap(({ problem }) =>
    problem === undefined ? [] : [`a stop condition could not be judged: ${problem}`],
  );
  return [...new Set(texts)].filter((text) => !loop.warnings.includes(text));
}

/** After errors a growing backoff; otherwise only the pause that was asked for. */
function pauseAfter(now: number, loop: Loop, decision: Decision): readonly LoopEvent[] {
  if (!decision.continue) return [];
  const backoff = errorBackoffMs(loop);
  const ms = Math.max(backoff, loop.settings.limits['iteration-delay']);
  if (ms === 0) return [];
  const condition = backoff > 0 ? 'backoff' : 'delay';
  const text = backoff > 0 ? 'after an agent error' : 'iteration-delay';
  return [{ type: 'loop.waiting', condition, until: now + ms, then: 'boundary', text }];
}
