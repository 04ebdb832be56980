import { findJudge, type JudgeFile, type JudgeInput } from '../../../src/core/judge/judge.ts';

/** Files by path: their text on the base, or null for one that only the loop has. */
export type Tree = Readonly<Record<string, string | null>>;

/** The judge of a tree, its texts read as the engine does. */
export function judgeOf(
  tree: Tree,
  commands: readonly string[] = [],
  more: Partial<JudgeInput> = {},
): readonly JudgeFile[] {
  const files = Object.keys(tree);
  const texts = new Map<string, string | null>();
  for (let round = 0; round < 20; round++) {
    const { files: found, wanted } = findJudge({
      files,
      commands,
      texts,
      judge: [],
      product: [],
      ...more,
    });
    if (wanted.length === 0) return found;
    for (const path of wanted) texts.set(path, tree[path] ?? null);
  }
  throw new Error('the judge wants texts for ever');
}

export function kindsOf(files: readonly JudgeFile[]): Readonly<Record<string, string>> {
  return Object.fromEntries(files.map(({ path, kind }) => [path, kind]));
}
