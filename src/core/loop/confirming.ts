import { standing, type Confirmation, type Standing } from '../verdict/confirmation.ts';
import type { Proof } from '../verdict/proof.ts';
import { isLiftedByWord } from '../verdict/integrity.ts';
import { lastIteration, type Iteration, type Loop } from './loop.ts';

/** Where the last iteration stands with the run in a clean place. */
export type ConfirmState =
  /** There is nothing to confirm with; `why` says what is missing. */
  | { readonly kind: 'off'; readonly why: string }
  | { readonly kind: 'due' }
  | { readonly kind: 'passed'; readonly standing: Standing }
  | {
      readonly kind: 'refused';
      readonly confirmation: Confirmation;
      readonly standing: Standing;
      /** The same was refused before, for the same changes: telling it once more helps nobody. */
      readonly isRepeated: boolean;
    };

export function confirmStateOf(loop: Loop): ConfirmState {
  const why = unconfirmable(loop);
  if (why !== null) return { kind: 'off', why };
  const last = lastIteration(loop);
  const confirmation = last?.confirmation;
  if (last === null || confirmation === undefined) return { kind: 'due' };
  const found = standing(confirmation, {
    approved: (loop.judgeApprovals ?? []).map(({ hash }) => hash),
    word: last.agent?.judgeChanged ?? null,
  });
  if (found.passed) return { kind: 'passed', standing: found };
  const isRepeated = wasRefused(loop.iterations.slice(0, -1), confirmation);
  return { kind: 'refused', confirmation, standing: found, isRepeated };
}

function unconfirmable({ settings, options, workspace }: Loop): string | null {
  if (settings.verify.confirm === 'off') return '`verify.confirm` is off';
  if (!options.commit) return 'there is no commit to confirm (--no-commit)';
  return workspace.base === null ? 'there is no git repository to confirm with' : null;
}

function wasRefused(before: readonly Iteration[], { verdict, hash }: Confirmation): boolean {
  return before.some(
    ({ confirmation }) => confirmation?.verdict === verdict && confirmation.hash === hash,
  );
}

/** The refused confirmation that a person's yes would lift; null when there is none. */
export function liftable(loop: Loop): Confirmation | null {
  const state = confirmStateOf(loop);
  if (loop.status === 'complete' || state.kind !== 'refused') return null;
  const { verdict } = state.confirmation;
  return verdict === 'contradicted' || verdict === 'overpowered' ? state.confirmation : null;
}

/** Whether a pass counts as far as confirmation goes. */
export function isConfirmed(loop: Loop): boolean {
  const { kind } = confirmStateOf(loop);
  return kind === 'passed' || kind === 'off';
}

export type ProofRecord = {
  readonly kind: Proof;
  readonly why: string;
  /** The confirmation it rests on; null: there was none. */
  readonly confirmation: Confirmation | null;
  readonly liftedBy: Standing['liftedBy'];
};

/** What the last iteration shows, for a loop that completes with it. */
export function earnedProof(loop: Loop): ProofRecord {
  const state = confirmStateOf(loop);
  const confirmation = lastIteration(loop)?.confirmation ?? null;
  if (state.kind === 'passed') {
    const { proof, why, liftedBy } = state.standing;
    return weakened(loop, { kind: proof, why, confirmation, liftedBy });
  }
  const why = state.kind === 'off' ? state.why : 'it was not confirmed';
  return { kind: 'unproven', why, confirmation, liftedBy: null };
}

/** Findings of `integrity` that only the agent's own word lifts. */
function weakened(loop: Loop, record: ProofRecord): ProofRecord {
  const word = lastIteration(loop)?.agent?.judgeChanged ?? null;
  const report = lastIteration(loop)?.report ?? null;
  if (report === null || word === null || !isLiftedByWord(report)) return record;
  const why = `the agent says that what judges the work had to change: ${word}`;
  return { ...record, kind: 'unproven', why, liftedBy: 'agent' };
}
