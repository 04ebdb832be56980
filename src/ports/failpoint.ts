import type { LoopEvent } from '../core/loop/event.ts';

/**
 * Every step that changes something outside this process: the store, files, git, processes. A step has a point
 * before it and one after it, where a test ends the engine, makes it fail, or holds it.
 */
const steps = [
  'settle-place',
  'add-task',
  'start-session',
  'claim-task',
  'claim-loop',
  'end-leftover',
  'open-workspace',
  'register-worktree',
  'bring-files',
  'restore-torn',
  'save-left-work',
  'set-up',
  'run-check',
  'store-baseline',
  'discard-base',
  'make-room',
  'remove-room',
  'look-at-gate',
  'run-hook',
  'build-prompt',
  'run-agent',
  'restore-protected',
  'put-back',
  'commit',
  'write-patch',
  'rebase',
  'hold-loop',
  'merge-rebase',
  'fast-forward',
  'move-files',
  'move-ref',
  'move-index',
  'settle-move',
  'move-back',
  'remove-workspace',
  'unregister-worktree',
  'delete-branch',
  'release-loop',
  'release-task',
  'end-session',
] as const;

/** Every fact that is appended; the compiler misses one that is not named here. */
const facts: Readonly<Record<LoopEvent['type'], true>> = {
  'loop.created': true,
  'loop.started': true,
  'loop.resumed': true,
  'settings.reread': true,
  'workspace.opened': true,
  'workspace.set_up': true,
  'baseline.started': true,
  'baseline.recorded': true,
  'integrity.allowed': true,
  'iteration.started': true,
  'model.chosen': true,
  'prompt.built': true,
  'session.rebooted': true,
  'hooks.ran': true,
  'agent.started': true,
  'agent.ended': true,
  'usage.added': true,
  'protected.restored': true,
  'snapshot.taken': true,
  'verification.started': true,
  'verification.ended': true,
  'iteration.ended': true,
  'confirmation.ended': true,
  'judge.allowed': true,
  'proof.accepted': true,
  'gate.judged': true,
  'approval.given': true,
  'approval.refused': true,
  'approval.asked': true,
  'mode.switched': true,
  'decision.made': true,
  'loop.waiting': true,
  'loop.woken': true,
  'rebase.started': true,
  'rebase.ended': true,
  'rebase.conflicted': true,
  'rebase.aborted': true,
  'warning.raised': true,
  'messages.received': true,
  'progress.cleared': true,
  'loop.rested': true,
  'merge.started': true,
  'loop.merged': true,
  'surroundings.changed': true,
  'base.moved': true,
};

export type Step = (typeof steps)[number];

/** `during:append`: inside the transaction that appends facts, before it commits. */
export type Failpoint = `${'before' | 'after'}:${Step | LoopEvent['type']}` | 'during:append';

/** All of them, in the order of the lists above. */
export const failpointNames: readonly Failpoint[] = [
  ...steps.flatMap((step): Failpoint[] => [`before:${step}`, `after:${step}`]),
  ...factTypes().flatMap((type): Failpoint[] => [`before:${type}`, `after:${type}`]),
  'during:append',
];

function factTypes(): readonly LoopEvent['type'][] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the record above
  return Object.keys(facts) as LoopEvent['type'][];
}

/** Says that a point is reached. Does nothing unless a test asked for something to happen there. */
export type Reach = (point: Failpoint) => Promise<void>;
