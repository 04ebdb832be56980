import path from 'node:path';
import { agentEnvironment } from '../core/env/allow-list.ts';
import type { ProgressEntry } from '../core/progress/entry.ts';
import { summaryPrompt } from '../core/progress/llm-summary.ts';
import { exceededBudget } from '../core/loop/budget.ts';
import type { PricedUsage } from '../core/price/price.ts';
import { headChars } from '../core/text/code-points.ts';
import type { AgentRunResult } from '../ports/agent.ts';
import { loopSandbox } from './loop-sandbox.ts';
import type { Engine } from './engine.ts';
import type { LoopOwner } from './loop-owner.ts';
import { SpendingGuard } from './spending-guard.ts';
import { WarningRecorder } from './warning-recorder.ts';

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
  const promptFile = path.join(dir, 'prompt.md');
  const prompt = summaryPrompt(entry);
  await engine.artifacts.write(promptFile, prompt);
  const runner = await engine.resolveAgent(loop.settings);
  const { pass, set } = loop.settings.env;
  const warnings = new WarningRecorder(owner);
  using spending = new SpendingGuard(loop, iteration.model, engine.prices, owner.cut, {
    used: () => {},
    warn: (text) => warnings.add(text),
  });
  const result = await runner.run(
    {
      loopId: loop.id,
      taskId: loop.taskId,
      iteration: iteration.number,
      maxIterations: loop.settings.limits['max-iterations'],
      model: iteration.model,
      systemPrompt: null,
      prompt,
      promptFile,
      cwd: dir,
      env: agentEnvironment(engine.env, {
        pass: [...runner.variables, ...pass],
        set,
        reserved: {},
      }),
      maxTurns: 1,
      sandbox: loopSandbox(engine, loop),
    },
    { stdout: path.join(dir, 'stdout.log'), stderr: path.join(dir, 'stderr.log') },
    limits,
    {
      started: async () => {},
      activity: () => {},
      usage: (tokens, costUsd, model) => spending.spent({ tokens, costUsd, model }),
    },
    spending.signal,
  );
  const judged = await spending.judge(result);
  await warnings.recorded();
  return judged;
}
