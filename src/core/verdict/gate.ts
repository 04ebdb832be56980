import type { Gate } from '../config/section/gates.ts';
import { inlineCode, singleLine } from '../prompt/inline.ts';
import { headChars } from '../text/code-points.ts';
import { fence } from '../text/fence.ts';

/** What looking at one gate gave. Stored as a fact; `name` and `type` say which gate of the settings it was. */
export type GateResult = {
  readonly name: string;
  readonly type: Gate['type'];
  readonly passed: boolean;
  /** In one line. */
  readonly reason: string;
  /** Bounded text for people and prompts. */
  readonly output: string;
  readonly durationMs: number;
  readonly command: string | null;
  readonly exitCode: number | null;
  /** Path of the whole output, relative to the folder of its iteration; null when there is none. */
  readonly evidence: string | null;
  /** Snapshot it was judged on. */
  readonly tree: string;
};

export type Approval = { readonly by: string; readonly note: string };

/** Dear and slow ones last, people at the very end. */
const order: readonly Gate['type'][] = [
  'verification',
  'command',
  'red-first',
  'convergence',
  'llm-judge',
  'ci',
  'approval',
];

export function inOrder(gates: readonly Gate[]): readonly Gate[] {
  return gates.toSorted((a, b) => order.indexOf(a.type) - order.indexOf(b.type));
}

/** The name of a gate in results; several of one type are told apart by their own names. */
export function gateName(gate: Gate): string {
  return gate.name ?? gate.type;
}

/** Where an iteration stands with its gates. */
export type GateState =
  | { readonly kind: 'passed' }
  /** To be looked at next. */
  | { readonly kind: 'due'; readonly gate: Gate }
  | { readonly kind: 'failed'; readonly gate: Gate; readonly result: GateResult }
  /** Only a person can go on: approvals are missing, or the gate is looked at by hand. */
  | { readonly kind: 'awaited'; readonly gate: Gate; readonly text: string };

/** The first gate in order that is not passed says it all. */
export function gateState(
  gates: readonly Gate[],
  results: readonly GateResult[],
  approvals: readonly Approval[],
): GateState {
  for (const gate of inOrder(gates)) {
    if (gate.type === 'approval') {
      const missing = gate['min-approvals'] - countApprovers(approvals);
      if (missing > 0) return { kind: 'awaited', gate, text: approvalText(missing) };
      continue;
    }
    const result = results.findLast(
      ({ name, type }) => name === gateName(gate) && type === gate.type,
    );
    if (result === undefined && gate.when === 'manual' && approvals.length === 0) {
      return { kind: 'awaited', gate, text: `the gate ${gateName(gate)} is looked at by hand` };
    }
    if (result === undefined) return { kind: 'due', gate };
    if (!result.passed) return { kind: 'failed', gate, result };
  }
  return { kind: 'passed' };
}

/** One person counts once. */
export function countApprovers(approvals: readonly Approval[]): number {
  return new Set(approvals.map(({ by }) => by)).size;
}

function approvalText(missing: number): string {
  return missing === 1 ? 'waits for an approval' : `waits for ${missing} approvals`;
}

/** What a failed gate tells the next iteration. */
export function gateFeedback({ name, reason, command, output }: GateResult): string {
  const lines = [
    `The checks pass, but the gate **${singleLine(name, 80).replaceAll('*', '')}** does not: ${singleLine(reason, 300)}`,
    ...(command === null ? [] : [`Command: ${inlineCode(command, 120)}`]),
    ...(output.trim() === '' ? [] : [fence(headChars(output.trim(), 1500))]),
  ];
  return lines.join('\n');
}

/** What a person's refusal tells the next iteration. */
export function refusalFeedback(by: string, reason: string): string {
  return [
    `The checks pass, but ${singleLine(by, 80)} looked at the work and sent it back. Do what they say:`,
    fence(headChars(reason.trim(), 3000)),
  ].join('\n');
}
