import { readComparisons, type Comparison } from './comparison.ts';
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
    let done = 0;
    for (const comparison of readComparisons(line, lines[at + 1] ?? '', language, values)) {
      title = titleIn(line.slice(done, comparison.start)) ?? title;
      done = comparison.end;
      const name = (title ?? comparison.name)?.toLowerCase() ?? null;
      const isMarked = comparison.isStatement && canMark(language, line, comparison);
      const word = isMarked ? `${prefix}-${places.length}-` : null;
      places.push({ at, name, comparison, word });
    }
    title = titleIn(line.slice(done)) ?? title;
  }
  const isPlain = plainLanguages.has(extension) || language.notation.isShell;
  return places.length === 0 ? null : { path, lines, places, language, isPlain };
}

/** Several lines take the place of a whole line only. */
function canMark({ mark }: Language, line: string, { start, end }: Comparison): boolean {
  if (mark === undefined) return false;
  return mark('', '').length === 1 || line.trim() === line.slice(start, end);
}

const maxTitleText = 300;
const titleText = String.raw`(?:'([^'"\`]+)'|"([^'"\`]+)"|\`([^'"\`]+)\`)`;
const quotedTitle = new RegExp(
  String.raw`\b(?:test|it|specify|subtest|scenario)(?:\.\w{1,20})?[ (]+${titleText}`,
  'g',
);
/** Whatever its name is here: a function that takes a text and a function. */
const calledTitle = new RegExp(
  String.raw`^\s*(?!describe|suite|context)\w{1,20}\(${titleText},\s*(?:async\b|function\b|\(|\w+\s*=>)`,
);
const namedTitle = /\b(?:def|fn|function) (\w+)/g;

/** The last title of a test in a text. */
function titleIn(text: string): string | null {
  const part = text.slice(0, maxTitleText);
  const quoted = [...part.matchAll(quotedTitle)].at(-1) ?? calledTitle.exec(part);
  if (quoted !== null) return quoted[1] ?? quoted[2] ?? quoted[3] ?? null;
  return [...part.matchAll(namedTitle)].at(-1)?.[1] ?? null;
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
  const [kind, isMarked] = markedKinds[filling];
  // From the end: what is before a place stays where it is.
  for (const { at, comparison, word } of places.toReversed()) {
    const line = changed[at] ?? '';
    const { start, end } = comparison;
    const text = comparison[kind];
    const put = isMarked ? marked(text, line.slice(0, start), word, language) : text;
    if (put !== null) changed[at] = line.slice(0, start) + put + line.slice(end);
  }
  return changed.join('\n');
}

function marked(
  text: string,
  before: string,
  word: string | null,
  { mark }: Language,
): string | null {
  if (word === null || mark === undefined) return null;
  return mark(text.replace(/;$/, ''), word).join(`\n${before}`);
}

/** Small ones, for types with little room. */
function valuesOf(nonce: string): Values {
  const digits = nonce.split('').map((digit) => Number.parseInt(digit, 16));
  const seed = digits.reduce((sum, digit) => (sum * 16 + digit) % 9973, 7);
  const numbers = [11 + (seed % 23), 41 + (seed % 19), 73 + (seed % 17)];
  const word = wordOf(nonce);
  return { numbers, words: [word, `${word}${syllable(seed)}`] };
}
