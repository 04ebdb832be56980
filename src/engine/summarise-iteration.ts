import path from 'node:path';
import { agentEnvironment } from '../core/env/allow-list.ts';
import type { ProgressEntry } from '../core/progress/entry.ts';
import { summaryPrompt } from '../core/progress/llm-summary.ts';
import { headChars } from '../core/text/code-points.ts';
import { agentSandbox } from './agent-sandbox.ts';
import type { Engine } from './engine.ts';
import type { LoopOwner } from './loop-owner.ts';

const limits = { timeoutMs: 120_000, graceMs: 2000 };
const keptChars = 2000;

/** A summary of the iteration by the loop's own agent, in a folder of its own. Any failure leaves the raw entry. */
export async function summariseIteration(
  engine: Engine,
  owner: LoopOwner,
  entry: ProgressEntry,
): Promise<Pick<ProgressEntry, 'summary' | 'summaryError'>> {
  try {
    const text = await askAgent(engine, owner, entry);
    return { summary: text, summaryError: null };
  } catch (error) {
    return { summary: null, summaryError: error instanceof Error ? error.message : String(error) };
  }
}

async function askAgent(engine: Engine, owner: LoopOwner, entry: ProgressEntry): Promise<string> {
  const { loop, iteration } = owner;
  const dir = await engine.artifacts.namedDir(loop.id, `summary-${iteration.number}`);
  const promptFile = path.join(dir, 'prompt.md');
  const prompt = summaryPrompt(entry);
  await engine.artifacts.write(promptFile, prompt);
  const runner = await engine.resolveAgent(loop.settings);
  const { pass, set } = loop.settings.env;
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
      sandbox: agentSandbox(engine, loop),
    },
    { stdout: path.join(dir, 'stdout.log'), stderr: path.join(dir, 'stderr.log') },
    limits,
    { started: async () => {}, activity: () => {}, usage: () => {} },
    owner.cut,
  );
  const text = result.outcome.finalText.trim();
  if (result.outcome.kind !== 'done' || text === '') {
    throw new Error(
      `the summary could not be had: ${result.outcome.evidence || result.outcome.kind}`,
    );
  }
  return headChars(text, keptChars);
}
