import { readComparison, type Comparison } from './comparison.ts';
import { languageOf, type Language } from './language.ts';
import type { Values } from './literal.ts';
import { extensionOf, syllable, wordOf } from './name.ts';
import type { Neighbour } from './template.ts';

/** Which values stand in the comparisons of the base's own tests; see `Comparison`. */
export type Filling = 'altered' | 'unequal' | 'bareUnequal' | 'bareEqual';

/** Of statements that say a word when they went through: what stands in them. */
export type MarkedFilling = 'markedAltered' | 'markedUnequal';

/** Tests of the base whose comparisons can be filled with other values. */
export type Alteration = {
  readonly fill: (filling: Filling | MarkedFilling) => readonly Neighbour[];
  /** Words that statements say when they went through. */
  readonly words: readonly string[];
  /** Names of tests with such comparisons, in lower case, where a value could say by itself what it equals. */
  readonly names: readonly string[];
  /** Such comparisons that stand in no test with a name. */
  readonly unnamed: number;
};

/** Null when the tests of the base compare nothing with a value that stands in them. */
export function planAlteration(tests: readonly Neighbour[], nonce: string): Alteration | null {
  const values = valuesOf(nonce);
  const files = tests.flatMap((test, index) => read(test, values, wordOf(nonce) + index) ?? []);
  if (files.length === 0) return null;
  const lying = files.filter(({ isPlain }) => !isPlain).flatMap(({ places }) => places);
  return {
    fill: (filling) => files.map((file) => ({ path: file.path, text: filled(file, filling) })),
    words: files.flatMap(({ places }) => places.flatMap(({ word }) => word ?? [])),
    names: [...new Set(lying.flatMap(({ name }) => name ?? []))],
    unnamed: lying.filter(({ name }) => name === null).length,
  };
}

type Place = {
  readonly at: number;
  readonly name: string | null;
  readonly comparison: Comparison;
  /** Null: it cannot say that it went through. */
  readonly word: string | null;
};
type Read = {
  readonly path: string;
  readonly lines: readonly string[];
  readonly places: readonly Place[];
  readonly language: Language;
  /** Values of the language are what they are. */
  readonly isPlain: boolean;
};

const plainLanguages: ReadonlySet<string> = new Set(['c', 'go', 'sh', 'bash', 'bats']);

function read({ path, text }: Neighbour, values: Values, prefix: string): Read | null {
  const extension = extensionOf(path);
  const language = languageOf(extension, text);
  if (language === null) return null;
  const lines = text.split('\n');
  const places: Place[] = [];
  let title: string | null = null;
  for (const [at, line] of lines.entries()) {
    title = titleIn(line.slice(0, maxTitleLine)) ?? title;
    const comparison = readComparison(line, lines[at + 1] ?? '', language, values);
    if (comparison === null) continue;
    const name = (title ?? comparison.name)?.toLowerCase() ?? null;
    const isMarked = comparison.isStatement && language.mark !== undefined;
    const word = isMarked ? `${prefix}-${places.length}-` : null;
    places.push({ at, name, comparison, word });
  }
  const isPlain = plainLanguages.has(extension) || language.notation.isShell;
  return places.length === 0 ? null : { path, lines, places, language, isPlain };
}

const maxTitleLine = 300;
const quotedTitle =
  /^\s*(?:await )?(?:\w+\.)?(?:test|it|specify|subtest|scenario)(?:\.\w+)?[ (]+(['"`])([^'"`]+)\1/;
const namedTitle = /^\s*(?:pub |async |public |static )*(?:def|fn|function) (test\w*|\w+)/;

function titleIn(line: string): string | null {
  return quotedTitle.exec(line)?.[2] ?? namedTitle.exec(line)?.[1] ?? null;
}

const markedKinds: Readonly<Record<Filling | MarkedFilling, readonly [Filling, boolean]>> = {
  altered: ['altered', false],
  unequal: ['unequal', false],
  bareUnequal: ['bareUnequal', false],
  bareEqual: ['bareEqual', false],
  markedAltered: ['altered', true],
  markedUnequal: ['unequal', true],
};

function filled({ lines, places, language }: Read, filling: Filling | MarkedFilling): string {
  const changed = [...lines];
  for (const { at, comparison, word } of places) {
    const [kind, isMarked] = markedKinds[filling];
    const line = comparison[kind];
    changed[at] = isMarked ? (marked(line, word, language) ?? lines[at] ?? '') : line;
  }
  return changed.join('\n');
}

function marked(line: string, word: string | null, { mark }: Language): string | null {
  if (word === null || mark === undefined) return null;
  const statement = line.trim().replace(/;$/, '');
  const indent = line.slice(0, line.length - line.trimStart().length);
  return mark(statement, word)
    .map((each) => indent + each)
    .join('\n');
}

/** Small ones, for types with little room. */
function valuesOf(nonce: string): Values {
  const digits = nonce.split('').map((digit) => Number.parseInt(digit, 16));
  const seed = digits.reduce((sum, digit) => (sum * 16 + digit) % 9973, 7);
  const numbers = [11 + (seed % 23), 41 + (seed % 19), 73 + (seed % 17)];
  const word = wordOf(nonce);
  return { numbers, words: [word, `${word}${syllable(seed)}`] };
}
