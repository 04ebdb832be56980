import { lastIteration, type Loop } from './loop.ts';
import { isTestFile } from '../judge/classify.ts';
import { changedPaths } from './changes.ts';
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

/** A person accepted what `integrity` had found. */
export type Acceptance = {
  readonly by: string;
  readonly reason: string | null;
  /** How many findings. */
  readonly findings: number;
};

/**
 * The test files that made a red base green all by themselves: tests of the base were changed, and no other file was.
 * Empty when code changed too, or when not every change is known.
 */
export function onlyTestsChanged({ baseline, iterations }: Loop): readonly string[] {
  if (baseline?.state !== 'red' || iterations.at(-1)?.report?.overall.passed !== true) return [];
  const all = iterations.map(({ changes }) => changes);
  const known = all.filter((changes) => changes !== null);
  const paths = [...new Set(known.flatMap(changedPaths))].toSorted();
  const created = new Set(known.flatMap((changes) => changes.created));
  const isKnown =
    known.length === all.length && known.every(({ untracked }) => untracked === undefined);
  const isWhole = isKnown && paths.every(isTestFile);
  return isWhole && paths.some((each) => !created.has(each)) ? paths : [];
}

/** The same as a warning; null when there is nothing to warn of. */
export function onlyTestsText(loop: Loop): string | null {
  const [first, ...more] = onlyTestsChanged(loop);
  if (first === undefined) return null;
  const others = more.length === 0 ? '' : ` and ${more.length} more`;
  return `only tests changed, no code did: the checks failed before and pass now because of ${first}${others}`;
}

/** What a person who approves the newest finding of `integrity` allows; empty when there is none. */
export function violationsToAllow(loop: Loop): readonly string[] {
  const report = lastIteration(loop)?.report ?? null;
  return report === null ? [] : violationsOf(report).map(violationKey);
}
