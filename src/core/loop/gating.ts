import { gateState, type GateState } from '../verdict/gate.ts';
import { lastIteration, type Loop } from './loop.ts';

/** Where the last iteration stands with the loop's gates. */
export function gatesOf(loop: Loop): GateState {
  const { gates = [], approvals = [] } = lastIteration(loop) ?? {};
  return gateState(loop.settings.gates, gates, approvals);
}

/**
 * Whether the loop waits for a person's approval. Nothing but their answer gets it past that: the decision stays in
 * force through restarts and resumes.
 */
export function awaitsApproval(loop: Loop): boolean {
  return asks(loop, 'gate');
}

/** Whether the strategy leaves it to a person whether to go on. A resume is a yes, too. */
export function awaitsGoAhead(loop: Loop): boolean {
  return asks(loop, 'strategy');
}

function asks(loop: Loop, source: 'gate' | 'strategy'): boolean {
  const last = lastIteration(loop);
  if (last === null || last.decision === null || loop.resumedAfter >= last.number) return false;
  return last.decision.source === source && last.decision.end?.reason === 'approval';
}
