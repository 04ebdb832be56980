import type { ProgressEntry } from '../core/progress/entry.ts';
import { summaryPrompt } from '../core/progress/llm-summary.ts';
import { exceededBudget } from '../core/loop/budget.ts';
import type { PricedUsage } from '../core/price/price.ts';
import { headChars } from '../core/text/code-points.ts';
import type { AgentRunResult } from '../ports/agent.ts';
import { askForLoop } from './aside-agent.ts';
import type { Engine } from './engine.ts';
import type { LoopOwner } from './loop-owner.ts';

const limits = { timeoutMs: 120_000, graceMs: 2000 };
const keptChars = 2000;

export type IterationSummary = {
  readonly entry: Pick<ProgressEntry, 'summary' | 'summaryError'>;
  /** What the summary itself used; null when nothing was asked. */
  readonly usage: PricedUsage | null;
};

/** A summary of the iteration by the loop's own agent, in a folder of its own. Any failure leaves the raw entry. */
export async function summariseIteration(
  engine: Engine,
  owner: LoopOwner,
  entry: ProgressEntry,
): Promise<IterationSummary> {
  const exceeded = exceededBudget(owner.loop);
  if (exceeded !== null) return failed(`not asked for: ${exceeded}`, null);
  let usage: PricedUsage | null = null;
  try {
    const judged = await askAgent(engine, owner, entry);
    usage = judged.usage;
    return { entry: { summary: textOf(judged.result), summaryError: null }, usage };
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error), usage);
  }
}

function failed(summaryError: string, usage: PricedUsage | null): IterationSummary {
  return { entry: { summary: null, summaryError }, usage };
}

function textOf({ outcome }: AgentRunResult): string {
  const text = outcome.finalText.trim();
  if (outcome.kind === 'done' && text !== '') return headChars(text, keptChars);
  throw new Error(`the summary could not be had: ${outcome.evidence || outcome.kind}`);
}

async function askAgent(
  engine: Engine,
  owner: LoopOwner,
  entry: ProgressEntry,
): Promise<{ readonly result: AgentRunResult; readonly usage: PricedUsage }> {
  const { loop, iteration } = owner;
  const dir = await engine.artifacts.namedDir(loop.id, `summary-${iteration.number}`);
  return askForLoop(engine, owner, {
    iteration: iteration.number,
    settings: loop.settings,
    model: iteration.model,
    prompt: summaryPrompt(entry),
    dir,
    cwd: dir,
    maxTurns: 1,
    limits,
  });
}
