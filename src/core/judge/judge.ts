import { classify } from './classify.ts';
import { matchesAny } from '../text/glob.ts';

export type JudgeKind = 'test' | 'data' | 'config' | 'script' | 'manifest' | 'dependencies';
export type JudgeFile = {
  readonly path: string;
  readonly kind: JudgeKind;
  readonly reason: string;
};
export type JudgeInput = {
  /** Paths of every file concerned: of the base, and of the loop where its additions matter. */
  readonly files: readonly string[];
  /** Commands of the checks (validation, setup of checks, gates, stop scripts). */
  readonly commands: readonly string[];
  /** Texts of files as on the base, as far as they are known; null: the base has no such file (or it is no text). */
  readonly texts: ReadonlyMap<string, string | null>;
  /** Globs of `verify.judge`: judge whatever else is said. */
  readonly judge: readonly string[];
  /** Globs of `verify.product`: never judge, unless `judge` names the same file. */
  readonly product: readonly string[];
};

/** `wanted`: files whose text would tell more; read them on the base and call again until it is empty. */
export type JudgeFinding = {
  readonly files: readonly JudgeFile[];
  readonly wanted: readonly string[];
};

/** Everything among the files that decides the result of a check and is not the product. Sorted by path; never throws. */
export function findJudge(input: JudgeInput): JudgeFinding {
  const files = input.files.flatMap((path): readonly JudgeFile[] => {
    if (matchesAny(path, input.judge)) return [{ path, kind: 'script', reason: 'verify.judge' }];
    if (matchesAny(path, input.product)) return [];
    const found = classify(path);
    return found === null ? [] : [{ path, ...found }];
  });
  return { files: files.toSorted((a, b) => (a.path < b.path ? -1 : 1)), wanted: [] };
}
