import { composed, foldCase } from '../../text/fold-case.ts';
import { stem } from './porter.ts';
import { stopWords } from './stop-words.ts';

/** A word of a text as it is looked up. */
export type Token = {
  readonly term: string;
  /** It is part of a name in code, as its spelling shows: `camelCase`, `snake_case`, `HTTP2`. */
  readonly isName: boolean;
  /** Of a part of a name: the term of the whole name. Other cases of it, `sqlite` for `SQLite`, have no parts. */
  readonly whole?: string;
};

const maxWord = 60;
const maxParts = 8;

const words = /[\p{L}\p{M}\p{N}_]+/gu;

/**
 * The terms of a text, in order: words in their stems; names split at case and underscores, and joined as well, so
 * that `bodyLimit`, `body_limit`, `BODYLIMIT` and “body limit” meet. Linear in the text.
 */
export function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (const [word] of composed(text).matchAll(words)) {
    if (word.length <= maxWord) tokens.push(...tokensOf(word));
  }
  return tokens;
}

/** How the text spells each of its terms, in lower case: people do not read stems. */
export function spellings(text: string): ReadonlyMap<string, string> {
  const spelled = new Map<string, string>();
  for (const [word] of composed(text).matchAll(words)) {
    if (word.length > maxWord) continue;
    const parts = splitName(word).slice(0, maxParts);
    for (const part of [...parts, parts.join('')].map(foldCase)) {
      for (const term of [stem(part), part]) if (!spelled.has(term)) spelled.set(term, part);
    }
  }
  return spelled;
}

function tokensOf(word: string): readonly Token[] {
  const parts = splitName(word).slice(0, maxParts);
  const isName =
    parts.length > 1 || /^\p{Lu}{2,}$/u.test(word) || /\p{L}\p{N}|\p{N}\p{L}/u.test(word);
  const terms = parts
    .map(foldCase)
    .filter((part) => isUseful(part) && part.length <= maxWord)
    .map(stem);
  if (parts.length < 2) return terms.map((term) => ({ term, isName }));
  const joined = foldCase(parts.join(''));
  if (joined.length > maxWord) return terms.map((term) => ({ term, isName }));
  // A stem like any other: whoever writes the name in small letters looks for that.
  const whole = stem(joined);
  return [...terms.map((term) => ({ term, isName, whole })), { term: whole, isName }];
}

/** `parseHTTPUrl_v2` → parse, HTTP, Url, v2. */
function splitName(word: string): readonly string[] {
  // Most words are no names; looking once is cheaper than splitting.
  if (/^[a-z]+$/.test(word)) return [word];
  return word
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1_$2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1_$2')
    .split('_')
    .filter((part) => part !== '');
}

function isUseful(word: string): boolean {
  if (stopWords.has(word)) return false;
  if (word.length > 1) return true;
  // A single letter says nothing; a single ideograph is a word.
  return word.charCodeAt(0) > 0x2e80;
}

/** Names that every project has; a path says nothing by them. */
const genericSegments = new Set(
  'src lib test tests spec specs index main mod init internal pkg packages app apps source include dist build docs doc examples example js ts jsx tsx mjs cjs mts py c h cc cpp hpp rs go rb java kt cs php md txt json yml yaml toml sh html css'.split(
    ' ',
  ),
);

/** The terms of a path without what every path has: `src/middleware/body-limit/index.ts` → middlewar, bodi, limit. */
export function pathTokens(path: string): readonly string[] {
  return tokenize(path)
    .map(({ term }) => term)
    .filter((term) => !genericSegments.has(term));
}

/** A word and, when it is a name of several parts, those: a text that has the one or all of the others has the name. */
export type Name = { readonly whole: string; readonly parts: readonly string[] };

/** The words of a text, each once as it is looked up. */
export function wordsOf(tokens: readonly Token[]): readonly Name[] {
  const found = new Map<string, Set<string>>();
  for (const { term, whole = term } of tokens) {
    const parts = found.get(whole) ?? new Set<string>();
    found.set(whole, whole === term ? parts : parts.add(term));
  }
  return [...found].map(([whole, parts]) => ({ whole, parts: [...parts] }));
}

/** Whether a text with these terms has the word. */
export function hasWord(terms: { has(term: string): boolean }, { whole, parts }: Name): boolean {
  return terms.has(whole) || (parts.length > 0 && parts.every((part) => terms.has(part)));
}
