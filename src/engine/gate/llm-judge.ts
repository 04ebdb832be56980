import path from 'node:path';
import { lastIteration } from '../../core/loop/loop.ts';
import { judgePrompt, readVerdict } from '../../core/verdict/judge-prompt.ts';
import { askForLoop } from '../aside-agent.ts';
import type { Engine } from '../engine.ts';
import type { LoopOwner } from '../loop-owner.ts';
import { withThrowaway } from '../throwaway-worktree.ts';
import { failed, type GateOf, type LookAt } from './look.ts';

const diffBytes = 256 * 1024;

/**
 * A fresh agent reads the work in a throw-away worktree, so that nothing it writes reaches the loop, and ends with a
 * verdict on a line of its own. No verdict, both verdicts, or any ending but a normal one is a failure.
 */
export const askJudge: LookAt<'llm-judge'> = async (engine, owner, gate) => {
  const { loop } = owner;
  const last = lastIteration(loop);
  const number = last?.number ?? 0;
  if (loop.head === null || loop.workspace.base === null)
    return failed('there is no commit to judge');
  const name = `judge-${number}`;
  const dir = await engine.artifacts.namedDir(loop.id, name);
  const word = engine.ids.token().slice(0, 12);
  const prompt = await promptFor(engine, owner, gate, dir, word);
  const settings = gate.agent === null ? loop.settings : { ...loop.settings, agent: gate.agent };
  const model = gate.model ?? (gate.agent === null ? (last?.model ?? null) : null);
  const maxTurns = loop.settings.limits['max-turns-per-iteration'];
  const limits = { timeoutMs: gate.timeout, graceMs: 5000 };
  const question = { iteration: number, settings, model, prompt, dir, maxTurns, limits };
  const { result, usage } = await withThrowaway(
    engine,
    loop,
    { name: 'judge', commit: loop.head },
    ({ path: cwd }) => askForLoop(engine, owner, { ...question, cwd }),
    owner.cut,
  );
  const { outcome } = result;
  if (outcome.kind === 'interrupted') return { kind: 'cut' };
  await engine.artifacts.write(path.join(dir, 'final.md'), engine.clean(outcome.finalText));
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
  const whole = `${patch}.partial`;
  await engine.project.writePatch(loop.workspace.base ?? '', loop.head ?? '', whole, closing);
  await engine.artifacts.moveClean(whole, patch);
  const diff = (await engine.artifacts.readTail(patch, diffBytes)) ?? '';
  const { title } = loop;
  return judgePrompt({ title, description: task?.description ?? '', criteria, diff, word });
}
