import { effectiveMaxDuration } from '../core/config/limits.ts';
import { countedIterations, lastIteration, type Iteration, type Loop } from '../core/loop/loop.ts';
import { assertLoopDecision } from '../core/strategy/registry.ts';
import type {
  IterationCompleteEvent,
  IterationSummary,
  LoopDecision,
  LoopEndEvent,
} from '../core/strategy/strategy.ts';
import type { Engine } from './engine.ts';
import { inTime } from './in-time.ts';

/** The process of a module is ended after 30 s, which says more; this is for strategies without one. */
const strategyTimeMs = 35_000;

export type StrategyAnswer = {
  readonly name: string;
  readonly decision: LoopDecision;
  readonly warnings: readonly string[];
};

/** Asks the loop's strategy whether to go on. A strategy that throws or takes too long is overruled, with a warning. */
export async function askStrategy(
  engine: Engine,
  loop: Loop,
  history: readonly IterationSummary[],
): Promise<StrategyAnswer> {
  const { name: configured } = loop.settings.strategy;
  const iteration = lastIteration(loop);
  const current = history.at(-1);
  if (iteration === null || current === undefined) {
    return { name: configured, decision: { continue: true, reason: 'nothing ran' }, warnings: [] };
  }
  let name: string = configured;
  try {
    const strategy = await engine.resolveStrategy(loop.settings);
    name = strategy.name;
    const event = completeEvent(loop, iteration, current, history.slice(0, -1));
    const answer = await inTime(
      engine.clock,
      Promise.resolve(strategy.onIterationComplete(event)),
      strategyTimeMs,
    );
    return { name, decision: assertLoopDecision(answer, name), warnings: [] };
  } catch (error) {
    const text = `strategy ${name}: ${error instanceof Error ? error.message : String(error)}`;
    const decision = { continue: true, reason: 'the strategy gave no answer' };
    return { name, decision, warnings: [text] };
  }
}

/** Tells the strategy, once, that its loop came to rest. */
export async function tellStrategy(engine: Engine, loop: Loop): Promise<void> {
  const event: LoopEndEvent = {
    loopId: loop.id,
    taskId: loop.taskId,
    totalIterations: countedIterations(loop),
    finalResult: finalResult(loop),
    elapsedMs: loop.activeMs,
  };
  const { name } = loop.settings.strategy;
  try {
    const strategy = await engine.resolveStrategy(loop.settings);
    const told = Promise.resolve(strategy.onLoopEnd?.(event));
    await inTime(engine.clock, told, strategyTimeMs);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    engine.publish({ kind: 'notice', text: `strategy ${name} failed at the end: ${text}` });
  }
}

function finalResult(loop: Loop): LoopEndEvent['finalResult'] {
  switch (loop.status) {
    case 'complete':
      return 'success';
    case 'failed':
      if (loop.reason === 'max_iterations') return 'max_iterations';
      return loop.reason === 'errors' ? 'error' : 'strategy_stop';
    case 'blocked':
      return loop.reason === 'approval' ? 'interrupted' : 'error';
    case 'stopped':
      if (loop.reason !== 'budget')
        return loop.reason === 'stop_condition' ? 'strategy_stop' : 'interrupted';
      return loop.text?.startsWith('time budget') === true ? 'timeout' : 'budget';
    case 'paused':
    case 'pending':
    case 'running':
    case 'waiting':
    case 'rebasing':
      return 'interrupted';
  }
}

function completeEvent(
  loop: Loop,
  iteration: Iteration,
  current: IterationSummary,
  previousIterations: readonly IterationSummary[],
): IterationCompleteEvent {
  const { agent, report } = iteration;
  return {
    loopId: loop.id,
    taskId: loop.taskId,
    iteration: iteration.number,
    totalIterations: countedIterations(loop),
    elapsedMs: loop.activeMs,
    agentResult: {
      kind: agent?.kind ?? 'interrupted',
      finalText: agent?.finalText ?? '',
      exitCode: agent?.exitCode ?? null,
      tokens: agent?.tokens ?? null,
      costUsd: agent?.costUsd ?? null,
    },
    agentSuccess: current.agentSuccess,
    verificationReport: report,
    verificationPassed: report?.overall.passed ?? null,
    current,
    previousIterations,
    maxIterations: loop.settings.limits['max-iterations'],
    maxTimeMs: effectiveMaxDuration(loop.settings),
  };
}
