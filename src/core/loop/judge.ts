import type { LadderStep } from '../strategy/ladder.ts';
import type { LoopDecision } from '../strategy/strategy.ts';
import type { Completion } from '../verdict/completion.ts';
import type { StopResult } from '../verdict/stop-condition.ts';
import { gateFeedback, gateName, type GateState } from '../verdict/gate.ts';
import { exceededBudget } from './budget.ts';
import { confirmationFeedback, proofFeedback } from '../verdict/confirmation-feedback.ts';
import { confirmStateOf, earnedProof } from './confirming.ts';
import { gatesOf } from './gating.ts';
import { isCapReached, lastIteration, type Loop } from './loop.ts';
import type { RestReason, RestStatus } from './status.ts';
import { baseBreach } from './base-text.ts';
import { breachOf } from './surroundings.ts';

/** Why a loop goes on or ends after an iteration, with everything it was decided from. Stored and explained. */
export type Decision = {
  readonly continue: boolean;
  readonly reason: string;
  /** Which rule decided. */
  readonly source:
    | 'integrity'
    | 'budget'
    | 'completion'
    | 'confirmation'
    | 'gate'
    | 'agent'
    | 'stop-condition'
    | 'errors'
    | 'cap'
    | 'ladder'
    | 'strategy';
  /** How the loop comes to rest; null when it goes on. */
  readonly end: Rest | null;
  /** For the next prompt, injected once. */
  readonly feedback: string;
  readonly notice: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly inputs: DecisionInputs;
};

export type Rest = {
  readonly status: RestStatus;
  readonly reason: RestReason;
  readonly text: string;
};

export type DecisionInputs = {
  readonly completion: string;
  readonly strategy: { readonly name: string; readonly continue: boolean; readonly reason: string };
  readonly ladder: string;
  readonly progress: {
    readonly progress: boolean;
    readonly activity: number;
    /** What the activity is made of; absent in older decisions. */
    readonly signals?: readonly string[];
    readonly level: number | null;
    readonly bestLevel: number | null;
  } | null;
  readonly stopConditions: readonly StopResult[];
  readonly counted: number;
  readonly maxIterations: number;
};

export type JudgeInput = {
  readonly completion: Completion;
  readonly strategy: LoopDecision;
  readonly ladder: LadderStep;
  readonly stopConditions: readonly StopResult[];
  /** Feedback from the executed checks; the strategy's own replaces it. */
  readonly checkFeedback: string;
  readonly inputs: DecisionInputs;
  /** What the agent is to know in any case; absent: nothing. */
  readonly told?: readonly string[];
  /** A disk budget that was found broken, in words. */
  readonly diskExceeded: string | null;
};

/**
 * One ordered list of rules; the first that applies decides. A pass beats every failure condition except the
 * budget and a broken sandbox. `--keep-going` leaves only the pass, the caps and the budgets.
 */
export function judge(loop: Loop, input: JudgeInput): Decision {
  const broken = breachOf(loop) ?? baseBreach(loop);
  if (broken !== null) return end(input, 'integrity', broken.status, broken.reason, broken.text);
  const budget = input.diskExceeded ?? exceededBudget(loop);
  if (budget !== null) return end(input, 'budget', 'stopped', 'budget', budget);
  const agent = lastIteration(loop)?.agent ?? null;
  if (agent?.kind === 'budget') {
    return end(input, 'budget', 'stopped', 'budget', agent.evidence);
  }
  if (!input.completion.complete) return judgeIncomplete(loop, input, input.completion);
  const unconfirmed = judgeConfirmed(loop, input);
  if (unconfirmed !== null) return unconfirmed;
  const gates = gatesOf(loop);
  if (gates.kind === 'passed') {
    const { kind } = earnedProof(loop);
    const reason = kind === 'unproven' ? 'unproven' : 'verified';
    return end(input, 'completion', 'complete', reason, completeText(loop, input));
  }
  if (gates.kind !== 'failed') return heldByGate(input, gates);
  const completion = gateMissing(gates);
  const inputs = { ...input.inputs, completion: completion.text };
  const told = { ...input, inputs, checkFeedback: gateFeedback(gates.result) };
  return endedByGate(told, gates) ?? judgeIncomplete(loop, { ...told, completion }, completion);
}

/** What follows when a pass is not confirmed, or is confirmed and proves too little; null: it is enough. */
function judgeConfirmed(loop: Loop, input: JudgeInput): Decision | null {
  const state = confirmStateOf(loop);
  if (state.kind === 'due') {
    return end(input, 'confirmation', 'blocked', 'judge', 'the checks were not confirmed');
  }
  if (state.kind === 'refused') {
    const { confirmation, isRepeated } = state;
    const text = `the checks pass in the worktree, but ${confirmation.why}`;
    const told = {
      ...input,
      inputs: { ...input.inputs, completion: text },
      checkFeedback: confirmationFeedback(confirmation, loop.taskId),
    };
    const by = `${text}; look at it with \`loopwright judge ${loop.id}\`, and take it with \`loopwright approve ${loop.id}\``;
    if (confirmation.verdict === 'poor-room') {
      return end(told, 'confirmation', 'blocked', 'setup', `${text}. ${roomHint}`);
    }
    const isForPerson = confirmation.verdict !== 'refused' && (isRepeated || isCapReached(loop));
    if (isForPerson) return end(told, 'confirmation', 'blocked', 'judge', by);
    const completion: Incomplete = { complete: false, missing: 'confirmation', text };
    return judgeIncomplete(loop, { ...told, completion }, completion);
  }
  const isRequired = loop.settings.verify.proof === 'require';
  if (!isRequired || earnedProof(loop).kind !== 'unproven') return null;
  const { why } = earnedProof(loop);
  const completion: Incomplete = {
    complete: false,
    missing: 'proof',
    text: `the checks pass, but nothing proves the work: ${why}`,
  };
  const inputs = { ...input.inputs, completion: completion.text };
  const told = { ...input, inputs, checkFeedback: proofFeedback(why), completion };
  return judgeIncomplete(loop, told, completion);
}

const roomHint =
  'A clean checkout lacks something that the checks need: bring it in with `workspace.link`, `workspace.copy` or `workspace.setup`, name variables with `env.pass`, or turn this off with `verify.confirm: off`';

function completeText(loop: Loop, { completion }: JudgeInput): string {
  const { kind, why } = earnedProof(loop);
  return kind === 'unproven' ? `${completion.text}; unproven: ${why}` : completion.text;
}

/** A gate that was not looked at, or waits for a person. */
function heldByGate(
  input: JudgeInput,
  state: Extract<GateState, { kind: 'due' | 'awaited' }>,
): Decision {
  if (state.kind === 'awaited') {
    const text = `the checks pass, and the loop ${state.text}`;
    return end(input, 'gate', 'blocked', 'approval', text);
  }
  const text = `the gate ${gateName(state.gate)} was not looked at`;
  return end(input, 'gate', 'blocked', 'gate', text);
}

type FailedGate = Extract<GateState, { kind: 'failed' }>;

/** Null: the gate fails, and the loop goes on. */
function endedByGate(input: JudgeInput, { gate, result }: FailedGate): Decision | null {
  const text = `the gate ${gateName(gate)} failed: ${result.reason}`;
  if (gate['on-failure'] === 'stop') return end(input, 'gate', 'failed', 'gate', text);
  if (gate['on-failure'] === 'escalate') return end(input, 'gate', 'blocked', 'gate', text);
  return null;
}

type Incomplete = Extract<Completion, { complete: false }>;

function gateMissing({ gate, result }: FailedGate): Incomplete {
  const text = `the checks pass, but not the gate ${gateName(gate)}: ${result.reason}`;
  return { complete: false, missing: 'gate', text };
}

function judgeIncomplete(loop: Loop, input: JudgeInput, completion: Incomplete): Decision {
  const agent = lastIteration(loop)?.agent ?? null;
  const stop = loop.options.keepGoing ? null : firstStop(input);
  if (stop !== null) return stop;
  if (
    loop.errorStreak >= loop.settings.limits['max-consecutive-errors'] &&
    !loop.options.keepGoing
  ) {
    const text = `${loop.errorStreak} agent errors in a row, the last: ${agent?.evidence ?? 'unknown'}`;
    return end(input, 'errors', 'failed', 'errors', text);
  }
  if (isCapReached(loop)) {
    const text = `reached max-iterations (${loop.settings.limits['max-iterations']}): ${completion.text}`;
    return end(input, 'cap', 'failed', 'max_iterations', text);
  }
  if (loop.options.keepGoing) return goOn(input, 'strategy', 'keeps going until a pass');
  if (input.ladder.kind === 'end') {
    return end(input, 'ladder', 'failed', input.ladder.reason, input.ladder.text);
  }
  // A strategy that stops at a pass means the end of the loop; a pass that is not enough yet is no such end.
  if (input.strategy.metadata?.['untilComplete'] === true) {
    return goOn(input, sourceOf(completion), completion.text);
  }
  if (!input.strategy.continue) {
    return end(input, 'strategy', 'failed', 'strategy_stop', input.strategy.reason);
  }
  if (input.strategy.metadata?.['ask'] === true) {
    return end(input, 'strategy', 'blocked', 'approval', input.strategy.reason);
  }
  const refuted = agent?.claim === 'done' && completion.missing === 'pass';
  return refuted
    ? goOn(input, 'completion', `the agent claims to be done, but ${completion.text}`)
    : goOn(input, 'strategy', input.strategy.reason);
}

function sourceOf({ missing }: Incomplete): Decision['source'] {
  return missing === 'gate' || missing === 'confirmation' ? missing : 'completion';
}

function firstStop(input: JudgeInput): Decision | null {
  const met = input.stopConditions.filter((result) => result.met);
  const failure = met.find((result) => result.kind === 'failure');
  if (failure !== undefined) {
    return end(
      input,
      'stop-condition',
      'failed',
      'strategy_stop',
      `stop condition: ${failure.text}`,
    );
  }
  const normal = met.find((result) => result.kind === 'normal');
  if (normal === undefined) return null;
  return end(
    input,
    'stop-condition',
    'stopped',
    'stop_condition',
    `stop condition: ${normal.text}`,
  );
}

function goOn(input: JudgeInput, source: Decision['source'], reason: string): Decision {
  return { ...shared(input), continue: true, reason, source, end: null };
}

function end(
  input: JudgeInput,
  source: Decision['source'],
  status: RestStatus,
  reason: RestReason,
  text: string,
): Decision {
  const rest: Rest = { status, reason, text };
  return { ...shared(input), continue: false, reason: text, source, end: rest };
}

/** Feedback is kept on an ending too: a resumed loop starts with it. */
function shared(input: JudgeInput): Pick<Decision, 'feedback' | 'notice' | 'metadata' | 'inputs'> {
  const notice = input.ladder.kind === 'notice' ? input.ladder.text : null;
  const base = input.strategy.feedback ?? input.checkFeedback;
  const missing = input.completion.complete ? null : missingText(input.completion);
  return {
    // What an agent that did nothing was told is in the base already.
    feedback: [base, missing, ...(input.told ?? []).filter((text) => !base.includes(text)), notice]
      .filter((part) => part !== null && part !== '')
      .join('\n\n'),
    notice,
    metadata: input.strategy.metadata ?? {},
    inputs: input.inputs,
  };
}

function missingText(completion: Extract<Completion, { complete: false }>): string | null {
  switch (completion.missing) {
    case 'pass':
    case 'review':
    case 'gate':
    case 'confirmation':
    case 'proof':
      return null;
    case 'commit':
      return `What was verified is not what is committed: ${completion.text}. Remove these files, make them ordinary and readable, or name them in a .gitignore of the project.`;
    case 'diff':
      return 'The checks pass, but no file differs from the base. Do the work the task asks for.';
    case 'claim':
      return 'The checks pass. If every part of the task is done, say so with the task-done tag on a line of its own; otherwise go on.';
  }
}
