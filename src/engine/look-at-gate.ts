import type { Gate } from '../core/config/section/gates.ts';
import type { LoopEvent } from '../core/loop/event.ts';
import { gatesOf } from '../core/loop/gating.ts';
import { lastIteration, type Iteration, type Loop } from '../core/loop/loop.ts';
import { plainText } from '../core/text/terminal.ts';
import { gateName, type GateResult } from '../core/verdict/gate.ts';
import { bothEnds } from '../core/verdict/report.ts';
import type { Engine } from './engine.ts';
import { lookAtCi } from './gate/ci.ts';
import { lookAtCommand } from './gate/command.ts';
import { lookAtConvergence } from './gate/convergence.ts';
import { askJudge } from './gate/llm-judge.ts';
import { passed, type GateLook } from './gate/look.ts';
import { lookAtRedFirst } from './gate/red-first.ts';
import type { LoopOwner } from './loop-owner.ts';

/**
 * Looks at the next gate of an iteration whose checks pass and records what it says, or when to look again. False when
 * none is due: all passed, one failed, or a person is asked.
 */
export async function lookAtNextGate(engine: Engine, owner: LoopOwner): Promise<boolean> {
  const { loop } = owner;
  const state = gatesOf(loop);
  const iteration = lastIteration(loop);
  if (state.kind !== 'due' || iteration === null) return false;
  const known = knownResult(loop, iteration, state.gate);
  if (known !== null) {
    await owner.record({ type: 'gate.judged', result: known });
    return true;
  }
  await owner.flush();
  const started = engine.clock.monotonic();
  await owner.before('look-at-gate');
  const look = await lookAt(engine, owner, state.gate);
  await owner.after('look-at-gate');
  if (look.kind === 'cut') return true;
  if (look.kind === 'wait') {
    const { until, text } = look;
    await owner.record({ type: 'loop.waiting', condition: 'ci', until, then: 'judge', text });
    return true;
  }
  const durationMs = Math.round(engine.clock.monotonic() - started);
  const result = resultOf(state.gate, look, { tree: treeOf(iteration), durationMs });
  await owner.record(...usageOf(look), { type: 'gate.judged', result });
  return true;
}

function usageOf({ usage }: Extract<GateLook, { kind: 'judged' }>): readonly LoopEvent[] {
  if (usage === undefined) return [];
  const { tokens, costUsd, costSource, models } = usage;
  return [{ type: 'usage.added', purpose: 'judge', tokens, costUsd, costSource, models }];
}

async function lookAt(engine: Engine, owner: LoopOwner, gate: Gate): Promise<GateLook> {
  switch (gate.type) {
    case 'verification':
      return passed('the checks pass');
    case 'command':
      return lookAtCommand(engine, owner, gate);
    case 'red-first':
      return lookAtRedFirst(engine, owner, gate);
    case 'convergence':
      return lookAtConvergence(engine, owner, gate);
    case 'llm-judge':
      return askJudge(engine, owner, gate);
    case 'ci':
      return lookAtCi(engine, owner, gate);
    case 'approval':
      return passed('people are asked, not looked at');
  }
}

function resultOf(
  gate: Gate,
  look: Extract<GateLook, { kind: 'judged' }>,
  { tree, durationMs }: Pick<GateResult, 'tree' | 'durationMs'>,
): GateResult {
  return {
    name: gateName(gate),
    type: gate.type,
    passed: look.passed,
    reason: plainText(look.reason).slice(0, 500),
    output: bothEnds(plainText(look.output ?? '')),
    durationMs,
    command: look.command ?? null,
    exitCode: look.exitCode ?? null,
    evidence: look.evidence ?? null,
    tree,
  };
}

/** With `when: on-change` the same files are judged once. */
function knownResult(loop: Loop, iteration: Iteration, gate: Gate): GateResult | null {
  if (gate.when !== 'on-change') return null;
  const results = loop.iterations.flatMap(({ gates = [] }) => gates);
  const same = results.findLast(
    ({ name, type, tree }) =>
      name === gateName(gate) && type === gate.type && tree === treeOf(iteration),
  );
  return same === undefined ? null : { ...same, durationMs: 0 };
}

function treeOf({ tree, startTree }: Iteration): string {
  return tree ?? startTree;
}
