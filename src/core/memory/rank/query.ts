import { isCommon } from './common-words.ts';
import { pathTokens, tokenize } from './tokens.ts';

/** What a task says about itself. */
export type QueryText = { readonly title: string; readonly description: string };

const titleWeight = 2;
const scopeWeight = 4;
/** Added for names in code, backticked text and paths. */
const nameWeight = 2;
const saturation = 2;
const commonWeight = 0.75;
const maxText = 8000;
const maxTerms = 200;

/** All of the query that is read. */
export function askedText(
  { title, description }: QueryText = { title: '', description: '' },
): string {
  return `${title.slice(0, maxText)}\n${description.slice(0, maxText)}`;
}

/** Terms to look for, with how much each matters: repeated ones more, but ever less so. */
export function queryWeights({ title, description }: QueryText): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  const add = (term: string, weight: number): void => {
    weights.set(term, (weights.get(term) ?? 0) + weight);
  };
  const [head, body] = [title.slice(0, maxText), description.slice(0, maxText)];
  for (const { term, isName } of tokenize(head)) add(term, titleWeight + (isName ? nameWeight : 0));
  for (const { term } of tokenize(scopeOf(head))) add(term, scopeWeight);
  for (const { term, isName } of tokenize(body)) add(term, 1 + (isName ? nameWeight : 0));
  for (const text of [head, body]) {
    for (const code of backticked(text))
      for (const { term } of tokenize(code)) add(term, nameWeight);
    for (const path of pathsIn(text)) for (const term of pathTokens(path)) add(term, nameWeight);
  }
  const saturated = [...weights].map(([term, weight]): [string, number] => [
    term,
    (((saturation + 1) * weight) / (weight + saturation)) * (isCommon(term) ? commonWeight : 1),
  ]);
  return new Map(saturated.slice(0, maxTerms));
}

const kinds = /^(?:fix|feat|chore|docs?|tests?|refactor|perf|build|ci|style|revert)$/i;

/** What stands before the colon: `etag` in `fix(etag): …` and in `etag: …`. */
function scopeOf(title: string): string {
  const [, kind = '', scope] =
    /^([\p{L}\p{M}\p{N}_./-]{1,60})(?:\(([^)]{1,60})\))?!?:\s/u.exec(title) ?? [];
  return scope ?? (kinds.test(kind) ? '' : kind);
}

/** Text between backticks on one line. */
function backticked(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => line.split('`').filter((_, index) => index % 2 === 1));
}

const inFolder = /[\p{L}\p{M}\p{N}_]\/[\p{L}\p{N}_]/u;
const withExtension = /[\p{L}\p{M}\p{N}_]\.[a-z]{1,4}$/iu;

/** Words with a slash or a file extension. */
function pathsIn(text: string): readonly string[] {
  return text
    .split(/[^\p{L}\p{M}\p{N}_./-]+/u)
    .filter((word) => word.length <= 200 && (inFolder.test(word) || withExtension.test(word)));
}
