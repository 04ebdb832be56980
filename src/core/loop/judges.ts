import { lastIteration, type Loop } from './loop.ts';
import { violationsOf } from '../verdict/integrity.ts';
import { violationKey } from '../verdict/violation.ts';

/** What decides a verdict beside the tests, as it was before an agent could touch it. */
export type Judges = {
  /** Scripts that the commands of the checks run; they are protected like configured paths. */
  readonly files: readonly string[];
  /** Programs in folders of tools inside the worktree: path and digest. */
  readonly programs: Readonly<Record<string, string>>;
  /** Configuration of runners in the worktree: path and digest; absent when nothing is known of it. */
  readonly configs?: Readonly<Record<string, string>>;
};

/** What a person who approves the newest finding of `integrity` allows; empty when there is none. */
export function violationsToAllow(loop: Loop): readonly string[] {
  const report = lastIteration(loop)?.report ?? null;
  return report === null ? [] : violationsOf(report).map(violationKey);
}
