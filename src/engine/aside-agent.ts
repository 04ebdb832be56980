import path from 'node:path';
import type { Activity } from '../core/agent/outcome.ts';
import type { Settings } from '../core/config/schema.ts';
import { agentEnvironment } from '../core/env/allow-list.ts';
import type { PricedUsage } from '../core/price/price.ts';
import type { AgentLimits, AgentRunResult, AgentSink, ResumedSession } from '../ports/agent.ts';
import { recordAside } from './aside-record.ts';
import type { Engine } from './engine.ts';
import type { LoopOwner } from './loop-owner.ts';
import { sandboxOf } from './loop-sandbox.ts';
import { SpendingGuard } from './spending-guard.ts';
import { WarningRecorder } from './warning-recorder.ts';

/** What an agent is asked beside the iterations of a loop: for a verdict, a summary, the parts of a task. */
export type Aside = {
  /** The loop it is for, or a name of its own. */
  readonly loopId: string;
  readonly taskId: string;
  readonly iteration: number;
  readonly maxIterations: number;
  readonly settings: Settings;
  readonly model: string | null;
  readonly prompt: string;
  /** Folder for prompt and output. */
  readonly dir: string;
  readonly cwd: string;
  readonly maxTurns: number;
  /** It is asked in this session of its own; absent: in a fresh one. */
  readonly resume?: ResumedSession;
  readonly limits: AgentLimits | ((kind: 'cli' | 'native') => AgentLimits);
  readonly activity?: (activity: Activity) => void;
};

/** Asks the agent of the settings once. Who it is gets recorded before it may act, so that nothing is left of a killed engine's. */
export async function askAside(
  engine: Engine,
  aside: Aside,
  usage: AgentSink['usage'],
  signal: AbortSignal,
): Promise<AgentRunResult> {
  const { loopId, taskId, iteration, maxIterations, model, settings, dir, cwd, maxTurns } = aside;
  const prompt = engine.clean(aside.prompt);
  const promptFile = path.join(dir, 'prompt.md');
  await engine.artifacts.write(promptFile, prompt);
  const runner = await engine.resolveAgent(settings);
  const { pass, set } = settings.env;
  const env = agentEnvironment(engine.env, {
    pass: [...runner.variables, ...pass],
    set,
    reserved: {},
  });
  const { limits, activity = () => {} } = aside;
  await using record = recordAside(engine);
  engine.project.requireIntact(cwd);
  engine.artifacts.requireIntact(dir);
  return await runner.run(
    {
      loopId,
      taskId,
      iteration,
      maxIterations,
      model,
      maxTurns,
      cwd,
      env,
      systemPrompt: null,
      prompt,
      promptFile,
      ...(aside.resume === undefined ? {} : { resume: aside.resume }),
      sandbox: sandboxOf(engine, settings),
    },
    { stdout: path.join(dir, 'stdout.log'), stderr: path.join(dir, 'stderr.log') },
    typeof limits === 'function' ? limits(runner.kind) : limits,
    { started: (identity) => record.started(identity), activity, usage },
    signal,
  );
}

/** The same for a loop: what it uses is the loop's, and ends it at the budget. */
export async function askForLoop(
  engine: Engine,
  owner: LoopOwner,
  aside: Omit<Aside, 'loopId' | 'taskId' | 'maxIterations'>,
): Promise<{ readonly result: AgentRunResult; readonly usage: PricedUsage }> {
  const { id: loopId, taskId, settings } = owner.loop;
  const maxIterations = settings.limits['max-iterations'];
  const warnings = new WarningRecorder(owner);
  using spending = new SpendingGuard(owner.loop, aside.model, engine.prices, owner.cut, {
    used: () => {},
    warn: (text) => warnings.add(text),
  });
  const result = await askAside(
    engine,
    { ...aside, loopId, taskId, maxIterations },
    (tokens, costUsd, model) => spending.spent({ tokens, costUsd, model }),
    spending.signal,
  );
  const judged = await spending.judge(result);
  await warnings.recorded();
  return judged;
}
