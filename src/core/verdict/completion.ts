import type { BaselineState } from '../loop/event.ts';

export type CompletionInput = {
  /** Null when no verification ran. */
  readonly passed: boolean | null;
  readonly baseline: BaselineState;
  /** The agent's own claim with the right id, on a whole line of its final message. */
  readonly claimed: boolean;
  /** A configured success condition was met; it stands in for the claim, never for the checks. */
  readonly successCondition: boolean;
  readonly differsFromBase: boolean;
  /** Files that the checks had and no commit has. */
  readonly unstored?: readonly string[];
  readonly requireClaim: 'auto' | 'always' | 'never';
  readonly requireDiff: boolean;
  /** The check `integrity` failed: what judges the work is not what it was. */
  readonly weakened?: boolean;
  /** A review pass that is left, in words; null or absent: none is. */
  readonly review?: string | null;
};

export type Completion =
  | { readonly complete: true; readonly text: string }
  | {
      readonly complete: false;
      readonly missing:
        | 'pass'
        | 'commit'
        | 'review'
        | 'diff'
        | 'claim'
        | 'confirmation'
        | 'proof'
        | 'gate';
      readonly text: string;
    };

/** The rules of done. A pass of executed checks is necessary on every path; the rest says when it is enough. */
export function judgeCompletion(input: CompletionInput): Completion {
  if (input.passed !== true) {
    const failed =
      input.weakened === true ? 'what judges the work was changed' : 'the checks do not pass';
    const text = input.passed === null ? 'no verification ran' : failed;
    return { complete: false, missing: 'pass', text };
  }
  const unstored = input.unstored ?? [];
  if (unstored.length > 0) {
    const text = `the checks pass, but on files that are in no commit: ${unstored.join(', ')}`;
    return { complete: false, missing: 'commit', text };
  }
  if (input.review != null) {
    return { complete: false, missing: 'review', text: `the checks pass, and ${input.review}` };
  }
  if (input.requireDiff && !input.differsFromBase) {
    const text = 'the checks pass, but nothing differs from the base';
    return { complete: false, missing: 'diff', text };
  }
  if (needsClaim(input) && !input.claimed && !input.successCondition) {
    return { complete: false, missing: 'claim', text: claimText(input) };
  }
  return { complete: true, text: proofText(input) };
}

/** After a red baseline a pass is proof enough; after a green or unknown one somebody must say that it is done. */
function needsClaim({ requireClaim, baseline }: CompletionInput): boolean {
  if (requireClaim === 'never') return false;
  return requireClaim === 'always' || baseline !== 'red';
}

function claimText({ requireClaim, baseline }: CompletionInput): string {
  if (requireClaim === 'always') return 'the checks pass, but the agent has not claimed to be done';
  const why =
    baseline === 'green'
      ? 'they passed before the work began'
      : baseline === 'broken'
        ? 'they could not run on the base'
        : 'the base was not judged';
  return `the checks pass, but ${why}, so the agent must also claim to be done`;
}

function proofText({ baseline, claimed }: CompletionInput): string {
  if (baseline === 'red') return 'the checks went from red to green';
  return claimed ? 'the checks pass and the agent claims to be done' : 'the checks pass';
}
