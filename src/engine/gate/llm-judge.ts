import path from 'node:path';
import { agentEnvironment } from '../../core/env/allow-list.ts';
import { lastIteration } from '../../core/loop/loop.ts';
import { judgePrompt, readVerdict } from '../../core/verdict/judge-prompt.ts';
import type { PricedUsage } from '../../core/price/price.ts';
import type { AgentRunResult } from '../../ports/agent.ts';
import { loopSandbox } from '../loop-sandbox.ts';
import type { Engine } from '../engine.ts';
import type { LoopOwner } from '../loop-owner.ts';
import { SpendingGuard } from '../spending-guard.ts';
import { withThrowaway } from '../throwaway-worktree.ts';
import { WarningRecorder } from '../warning-recorder.ts';
import { failed, type GateOf, type LookAt } from './look.ts';

const diffBytes = 256 * 1024;

/**
 * A fresh agent reads the work in a throw-away worktree, so that nothing it writes reaches the loop, and ends with a
 * verdict on a line of its own. No verdict, both verdicts, or any ending but a normal one is a failure.
 */
export const askJudge: LookAt<'llm-judge'> = async (engine, owner, gate) => {
  const { loop } = owner;
  const number = lastIteration(loop)?.number ?? 0;
  if (loop.head === null || loop.workspace.base === null)
    return failed('there is no commit to judge');
  const name = `judge-${number}`;
  const dir = await engine.artifacts.namedDir(loop.id, name);
  const word = engine.ids.token().slice(0, 12);
  const promptFile = path.join(dir, 'prompt.md');
  const prompt = await promptFor(engine, owner, gate, dir, word);
  await engine.artifacts.write(promptFile, prompt);
  const { result, usage } = await withThrowaway(
    engine,
    loop,
    { name: 'judge', commit: loop.head },
    ({ path: cwd }) => runJudge(engine, owner, gate, { cwd, dir, prompt, promptFile }),
    owner.cut,
  );
  const { outcome } = result;
  if (outcome.kind === 'interrupted') return { kind: 'cut' };
  await engine.artifacts.write(path.join(dir, 'final.md'), outcome.finalText);
  const details = {
    kind: 'judged',
    output: outcome.finalText,
    evidence: `../../${name}/final.md`,
    usage,
  } as const;
  if (outcome.kind !== 'done') {
    return {
      ...details,
      passed: false,
      reason: `the judge ended as ${outcome.kind}: ${outcome.evidence}`,
    };
  }
  const verdict = readVerdict(outcome.finalText, word);
  if (verdict === null) return { ...details, passed: false, reason: 'the judge gave no verdict' };
  return {
    ...details,
    passed: verdict,
    reason: verdict ? 'the judge says pass' : 'the judge says fail',
  };
};

async function promptFor(
  engine: Engine,
  { loop, closing }: LoopOwner,
  { criteria }: GateOf<'llm-judge'>,
  dir: string,
  word: string,
): Promise<string> {
  const task = await engine.store.read((tx) => tx.tasks.get(loop.taskId));
  const patch = path.join(dir, 'work.patch');
  await engine.project.writePatch(loop.workspace.base ?? '', loop.head ?? '', patch, closing);
  const diff = (await engine.artifacts.readTail(patch, diffBytes)) ?? '';
  const { title } = loop;
  return judgePrompt({ title, description: task?.description ?? '', criteria, diff, word });
}

type Place = {
  readonly cwd: string;
  readonly dir: string;
  readonly prompt: string;
  readonly promptFile: string;
};

async function runJudge(
  engine: Engine,
  owner: LoopOwner,
  gate: GateOf<'llm-judge'>,
  { cwd, dir, prompt, promptFile }: Place,
): Promise<{ readonly result: AgentRunResult; readonly usage: PricedUsage }> {
  const { loop } = owner;
  const settings = gate.agent === null ? loop.settings : { ...loop.settings, agent: gate.agent };
  const runner = await engine.resolveAgent(settings);
  const { pass, set } = loop.settings.env;
  const last = lastIteration(loop);
  const model = gate.model ?? (gate.agent === null ? (last?.model ?? null) : null);
  const warnings = new WarningRecorder(owner);
  using spending = new SpendingGuard(loop, model, engine.prices, owner.cut, {
    used: () => {},
    warn: (text) => warnings.add(text),
  });
  const result = await runner.run(
    {
      loopId: loop.id,
      taskId: loop.taskId,
      iteration: last?.number ?? 0,
      maxIterations: loop.settings.limits['max-iterations'],
      model,
      systemPrompt: null,
      prompt,
      promptFile,
      cwd,
      env: agentEnvironment(engine.env, {
        pass: [...runner.variables, ...pass],
        set,
        reserved: {},
      }),
      maxTurns: loop.settings.limits['max-turns-per-iteration'],
      sandbox: loopSandbox(engine, loop),
    },
    { stdout: path.join(dir, 'stdout.log'), stderr: path.join(dir, 'stderr.log') },
    { timeoutMs: gate.timeout, graceMs: 5000 },
    {
      started: async () => {},
      activity: () => {},
      usage: (tokens, costUsd, used) => spending.spent({ tokens, costUsd, model: used }),
    },
    spending.signal,
  );
  const judged = await spending.judge(result);
  await warnings.recorded();
  return judged;
}
