import { createClassify } from './classify.ts';
import { follow } from './follow.ts';
import { matchesAny } from '../text/glob.ts';

export type JudgeKind = 'test' | 'data' | 'config' | 'script' | 'manifest' | 'dependencies';
export type JudgeFile = {
  readonly path: string;
  readonly kind: JudgeKind;
  readonly reason: string;
  /** The check writes it: one of the loop's would stand in for what the check finds. */
  readonly isOutput?: true;
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

/**
 * Everything among the files that decides the result of a check and is not the product: by the patterns of the
 * ecosystems, by what the commands and the scripts they start name, and by the two lists of globs. Sorted by path. Another
 * file never takes one away. Never throws.
 */
export function findJudge(input: JudgeInput): JudgeFinding {
  const files = [...new Set(input.files)];
  const classify = createClassify();
  const byPath = files.flatMap((path): readonly JudgeFile[] => {
    const told = classify(path);
    return told === null ? [] : [{ path, ...told }];
  });
  const followed = follow({ ...input, files }, byPath);
  const found = new Map([...followed.files, ...byPath.map((file) => [file.path, file] as const)]);
  for (const path of files) {
    if (input.judge.length > 0 && matchesAny(path, input.judge)) {
      const { kind } = found.get(path) ?? { kind: 'script' };
      found.set(path, { path, kind, reason: 'named by verify.judge' });
    } else if (input.product.length > 0 && matchesAny(path, input.product)) found.delete(path);
  }
  const sorted = [...found.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return { files: sorted, wanted: followed.wanted };
}
