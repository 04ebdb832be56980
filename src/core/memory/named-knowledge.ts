import { foldCase } from '../text/fold-case.ts';
import type { KnowledgeFile } from './knowledge.ts';
import { isCommon } from './rank/common-words.ts';
import { hasWord, tokenize, wordsOf } from './rank/tokens.ts';

/** A file that the title of a task names, and how many of its words do so at most. */
export type NamedFile = { readonly file: KnowledgeFile; readonly words: number };

/** The files with a tag or a title whose words all stand in the title of a task. */
export function namedFiles(files: readonly KnowledgeFile[], title: string): readonly NamedFile[] {
  const terms = new Set(tokenize(title).map(({ term }) => term));
  const plain = new Set(plainWords(title));
  const named = (text: string): number => {
    const words = wordsOf(tokenize(text));
    if (words.length > 0 && words.every((word) => hasWord(terms, word))) return words.length;
    // `go` and `c` are words that searching leaves out, and yet names of what a file is about.
    const own = plainWords(text);
    return words.length === 0 && own.every((word) => plain.has(word)) ? own.length : 0;
  };
  return files.flatMap((file) => {
    const counts = file.tags.map(named);
    if (file.title !== null && saysMore(file.title)) counts.push(named(file.title));
    const words = Math.max(0, ...counts);
    return words === 0 ? [] : [{ file, words }];
  });
}

/** A tag is chosen to be found by; a title of one word of all software, “Tests”, is not. */
function saysMore(title: string): boolean {
  const words = wordsOf(tokenize(title));
  return words.length > 1 || words.some(({ whole }) => !isCommon(whole));
}

function plainWords(text: string): readonly string[] {
  return foldCase(text).match(/[\p{L}\p{M}\p{N}_+#]+/gu) ?? [];
}
