import { classify } from './classify.ts';
import type { Restore } from './manifest.ts';

/** A part of a build file that lists files: by what it is known, and where its text stands. */
type SourceList = {
  readonly key: string;
  readonly from: number;
  readonly to: number;
  readonly words: readonly string[];
  /** It lists sources of the product and nothing else. */
  readonly isProduct: boolean;
};

const source =
  /^[\w./+-]{1,200}\.(?:c|cc|cpp|cxx|c\+\+|m|mm|o|obj|h|hh|hpp|hxx|s|S|asm|f|f90|cu|d|adb|ads|pas|java|kt)$/;
const speaking = /test|check|spec|bench|mock/i;
const keywords = new Set(
  'STATIC SHARED MODULE OBJECT INTERFACE PRIVATE PUBLIC EXCLUDE_FROM_ALL WIN32 MACOSX_BUNDLE'.split(
    ' ',
  ),
);
const maxChars = 512 * 1024;

/** `SRCS = a.c b.c`: the list is the loop's, everything else of a makefile is the base's. */
export const restoreMakefile: Restore = (base, loop) =>
  withLists(base, loop, assignmentsOf, 'the makefile but for its lists of sources');

/** `add_library(shop a.cpp b.cpp)`, and the same for CMake. */
export const restoreCmake: Restore = (base, loop) =>
  withLists(base, loop, callsOf, 'the build but for its lists of sources');

/** The base's text with the loop's lists. One that the base does not have is away. */
function withLists(
  base: string,
  loop: string,
  listsOf: (text: string) => readonly SourceList[],
  rest: string,
): ReturnType<Restore> {
  if (base === '' || base.length > maxChars || loop.length > maxChars) return null;
  const [old, now] = [listsOf(base), listsOf(loop)].map(single);
  const parts: string[] = [];
  let at = 0;
  for (const [key, list] of old ?? []) {
    const { from, to } = list;
    const other = now?.get(key);
    if (other === undefined || !mayReplace(list, other)) continue;
    parts.push(base.slice(at, from), loop.slice(other.from, other.to));
    at = to;
  }
  const text = [...parts, base.slice(at)].join('');
  const isSame = normal(text) === normal(loop);
  return isSame
    ? { text: loop, restored: [], dependencies: false }
    : { text, restored: [rest], dependencies: false };
}

/** Where tests are listed as well, everything of the base stays in its order, and only sources of the product may join it. */
function mayReplace(old: SourceList, now: SourceList): boolean {
  if (old.isProduct && now.isProduct) return true;
  const left = [...old.words];
  const added = now.words.filter((word) => {
    if (left[0] !== word) return true;
    left.shift();
    return false;
  });
  return left.length === 0 && added.every((word) => isProductSource(word) && !speaking.test(word));
}

function normal(text: string): string {
  return text
    .replaceAll(/[ \t\r]+/g, ' ')
    .replaceAll(/ ?\n\s*/g, '\n')
    .trim();
}

/** Lists that occur once: of two of a name it is not known which one counts. */
function single(lists: readonly SourceList[]): ReadonlyMap<string, SourceList> {
  const counts = new Map<string, number>();
  for (const { key } of lists) counts.set(key, (counts.get(key) ?? 0) + 1);
  return new Map(lists.flatMap((each) => (counts.get(each.key) === 1 ? [[each.key, each]] : [])));
}

function isSources(name: string, words: readonly string[]): boolean {
  if (speaking.test(name)) return false;
  const files = words.filter((word) => !keywords.has(word));
  return files.length > 0 && files.every(isProductSource);
}

function isProductSource(word: string): boolean {
  return source.test(word) && classify(word) === null;
}

/** Names of files and nothing that is worked out. */
function isPlain(words: readonly string[]): boolean {
  const files = words.filter((word) => !keywords.has(word));
  return files.length > 0 && files.every((word) => source.test(word));
}

function assignmentsOf(text: string): readonly SourceList[] {
  const lists: SourceList[] = [];
  let at = 0;
  while (at < text.length) {
    let end = text.indexOf('\n', at);
    while (end > 0 && text[end - 1] === '\\') end = text.indexOf('\n', end + 1);
    const stop = end === -1 ? text.length : end;
    const line = text.slice(at, stop).replaceAll('\\\n', ' ');
    const found = /^([\w.-]{1,80})[ \t]*(?::?:?=)(.*)$/s.exec(line);
    const words = (found?.[2] ?? '').split(/\s+/).filter((word) => word !== '');
    if (found !== null && isPlain(words)) {
      const key = found[1] ?? '';
      lists.push({ key, from: at, to: stop, words, isProduct: isSources(key, words) });
    }
    at = stop + 1;
  }
  return lists;
}

function callsOf(text: string): readonly SourceList[] {
  const lists: SourceList[] = [];
  const call = /\b(add_library|add_executable|target_sources|set)\s{0,4}\(([^()#"$]{1,20000})\)/gi;
  for (const found of text.matchAll(call)) {
    const [name = '', ...words] = (found[2] ?? '').split(/\s+/).filter((word) => word !== '');
    if (!isPlain(words)) continue;
    const key = `${(found[1] ?? '').toLowerCase()} ${name}`;
    const place = { from: found.index, to: found.index + found[0].length };
    lists.push({ key, ...place, words, isProduct: isSources(name, words) });
  }
  return lists;
}
