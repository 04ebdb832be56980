import { stem } from './porter.ts';
import { stopWords } from './stop-words.ts';

/** A word of a text as it is looked up. */
export type Token = {
  readonly term: string;
  /** It is part of a name in code, as its spelling shows: `camelCase`, `snake_case`, `HTTP2`. */
  readonly isName: boolean;
};

const maxWord = 60;
const maxParts = 8;

/**
 * The terms of a text, in order: words in their stems; names split at case and underscores, and joined as well, so
 * that `bodyLimit`, `body_limit` and “body limit” meet. Linear in the text.
 */
export function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (const [word] of text.matchAll(/[\p{L}\p{N}_]+/gu)) {
    if (word.length <= maxWord) tokens.push(...tokensOf(word));
  }
  return tokens;
}

/** How the text spells each of its terms, in lower case: people do not read stems. */
export function spellings(text: string): ReadonlyMap<string, string> {
  const spelled = new Map<string, string>();
  for (const [word] of text.matchAll(/[\p{L}\p{N}_]+/gu)) {
    if (word.length > maxWord) continue;
    const parts = splitName(word).slice(0, maxParts);
    for (const part of [...parts, parts.join('')].map((each) => each.toLowerCase())) {
      for (const term of [stem(part), part]) if (!spelled.has(term)) spelled.set(term, part);
    }
  }
  return spelled;
}

function tokensOf(word: string): readonly Token[] {
  const parts = splitName(word).slice(0, maxParts);
  const isName =
    parts.length > 1 || /^\p{Lu}{2,}$/u.test(word) || /\p{L}\p{N}|\p{N}\p{L}/u.test(word);
  const terms = parts.map((part) => part.toLowerCase()).filter(isUseful);
  const joined = parts.length > 1 ? [parts.join('').toLowerCase()] : [];
  return [...terms.map(stem), ...joined].map((term) => ({ term, isName }));
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
