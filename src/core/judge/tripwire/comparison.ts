import { shell, type Language } from './language.ts';
import { readLiteral, type Literal, type Values } from './literal.ts';
import { closeOf, parts, walk } from './split.ts';
import { segmentsOf } from './statements.ts';

/** A part of a line that compares something with a value, and that part with other values in it. */
export type Comparison = {
  readonly start: number;
  readonly end: number;
  /** With another value to be equal to: it fails for whatever was equal before. */
  readonly altered: string;
  /** With two values that differ, after computing what was compared before. */
  readonly unequal: string;
  /** With two values that differ. */
  readonly bareUnequal: string;
  /** With one value, twice. */
  readonly bareEqual: string;
  /** What the runner calls it, where it has a name of its own. */
  readonly name: string | null;
  /** It is one statement from end to end, not the head of a block. */
  readonly isStatement: boolean;
};

type Kind = 'altered' | 'unequal' | 'bareUnequal' | 'bareEqual';

/** The two sides of a comparison; one of them is a literal. */
type Sides = {
  readonly left: string;
  readonly right: string;
  readonly isLeft: boolean;
  readonly literal: Literal;
};

const maxText = 400;
const ends = /\b(?:throw|exit|return|fail|fatal|raise|die|abort|errorf?|fatalf)\b/i;

/** The comparisons with a value that stand in a line. `next` is the line after it. */
export function readComparisons(
  line: string,
  next: string,
  language: Language,
  values: Values,
): readonly Comparison[] {
  const text = line.trim();
  if (text === '') return [];
  const pieces: Comparison[] = [];
  for (const { start, end, isStatement } of segmentsOf(line, language)) {
    const inner = line.slice(start, end);
    if (start < (pieces.at(-1)?.end ?? 0)) continue;
    const found = readText(inner, '', language, values);
    if (found !== null) pieces.push(comparisonOf(found, { start, inner, isStatement, language }));
  }
  if (pieces.length > 1) return pieces;
  const whole = readText(text, next, language, values);
  if (whole === null) return pieces;
  const start = line.length - line.trimStart().length;
  return [comparisonOf(whole, { start, inner: text, isStatement: true, language })];
}

function readText(text: string, next: string, language: Language, values: Values): Found | null {
  if (text.length > maxText) return null;
  return language === shell ? readShell(text, values) : readStatement(text, next, language, values);
}

type Found = { readonly name: string | null; readonly write: (kind: Kind) => string };
type Place = {
  readonly start: number;
  readonly inner: string;
  readonly isStatement: boolean;
  readonly language: Language;
};

function comparisonOf({ name, write }: Found, place: Place): Comparison {
  const { start, inner, language } = place;
  const isStatement = place.isStatement && !inner.startsWith('if') && language !== shell;
  const [altered, unequal, bareUnequal, bareEqual] = [
    write('altered'),
    write('unequal'),
    write('bareUnequal'),
    write('bareEqual'),
  ];
  // The block of a condition may have comparisons of its own.
  const texts = [altered, unequal, bareUnequal, bareEqual];
  const same = isStatement ? 0 : commonEnd(inner, texts);
  const cut = (text: string) => text.slice(0, text.length - same);
  return {
    start,
    end: start + inner.length - same,
    altered: cut(altered),
    unequal: cut(unequal),
    bareUnequal: cut(bareUnequal),
    bareEqual: cut(bareEqual),
    name,
    isStatement,
  };
}

function commonEnd(text: string, others: readonly string[]): number {
  const isSame = (count: number) =>
    others.every((each) => each.at(-count) === text.at(-count) && each.length >= count);
  let count = 0;
  while (count < text.length && isSame(count + 1)) count += 1;
  return count;
}

function readStatement(
  text: string,
  next: string,
  language: Language,
  values: Values,
): Found | null {
  const call = language.calls.exec(text)?.[0];
  if (call !== undefined) return readCall(text, call.length - 1, language, values);
  if (language.chains !== undefined && /^(?:await )?[\w$]{1,40}\(/.test(text))
    return readChain(text, language, values);
  const words = language.words?.exec(text)?.[0];
  if (words !== undefined) {
    const end = text.endsWith(';') ? text.length - 1 : text.length;
    return readArguments(text, words.length, end, language, values);
  }
  const guard = language.guards?.exec(text)?.[0];
  if (guard !== undefined) {
    const end = text.endsWith(';') ? text.length - 1 : text.length;
    return readCondition(text, guard.length, end, language, values);
  }
  const start = language.conditions?.exec(text)?.[0];
  if (start === undefined) return null;
  return readIf(text, next, start, language, values);
}

function readCall(text: string, open: number, language: Language, values: Values): Found | null {
  const close = closeOf(text, open);
  if (close === -1 || !/^\s*;?$/.test(text.slice(close + 1))) return null;
  return readArguments(text, open + 1, close, language, values);
}

/** Two values and what else there is, or a condition. */
function readArguments(
  text: string,
  from: number,
  to: number,
  language: Language,
  values: Values,
): Found | null {
  const condition = readCondition(text, from, to, language, values);
  if (condition !== null) return condition;
  const inner = text.slice(from, to);
  const [first = '', second, ...more] = parts(inner) ?? [];
  const name = more.at(-1) ?? null;
  const sides =
    second === undefined || more.length > 2 ? null : sidesOf(first, second, { language, values });
  if (sides === null) return null;
  const write = (kind: Kind) => {
    const filled = fill(sides, kind, language);
    const rest = more.map((each) => `, ${each}`).join('');
    return `${text.slice(0, from)}${filled[0]}, ${filled[1]}${rest}${text.slice(to)}`;
  };
  return { name: name === null ? null : unquoted(name), write };
}

/** `x == 1`, and behind it what a call may have besides its condition. */
function readCondition(
  text: string,
  from: number,
  to: number,
  language: Language,
  values: Values,
): Found | null {
  const [condition = '', ...more] = parts(text.slice(from, to)) ?? [];
  const ternary = condition.startsWith('if') ? -1 : condition.search(/ \? |\?\s*\d+\s*:/);
  const compared = (ternary === -1 ? condition : condition.slice(0, ternary)).trim();
  const at = operatorIn(compared, language);
  if (at === null) return null;
  const left = compared.slice(0, at.index).trim();
  const right = compared.slice(at.index + at.operator.length).trim();
  const sides = sidesOf(left, right, { language, values });
  if (sides === null) return null;
  const start = text.indexOf(compared, from);
  const write = (kind: Kind) => {
    const [a, b] = fill(sides, kind, language);
    const end = text.slice(start + compared.length);
    return `${text.slice(0, start)}${a} ${at.operator.trim()} ${b}${end}`;
  };
  const name = more.length === 1 ? unquoted(more[0] ?? '') : null;
  return { name, write };
}

function readIf(
  text: string,
  next: string,
  start: string,
  language: Language,
  values: Values,
): Found | null {
  if (start.endsWith('(')) {
    const close = closeOf(text, start.length - 1);
    if (close === -1 || !ends.test(text.slice(close) + next)) return null;
    return readCondition(text, start.length, close, language, values);
  }
  const end = /\s*[:{]$/.exec(text)?.index ?? -1;
  if (end === -1 || !ends.test(next)) return null;
  // `if got := f(); got != 1 {`
  const semicolon = text.lastIndexOf('; ', end);
  const from = semicolon === -1 ? start.length : semicolon + 2;
  return readCondition(text, from, end, language, values);
}

function readChain(text: string, language: Language, values: Values): Found | null {
  const open = text.indexOf('(');
  const close = closeOf(text, open);
  if (close === -1) return null;
  const rest = text.slice(close + 1);
  const match = /^(.*?[( ])([^( );]*|\[[^()]*\]|'[^']*'|"[^"]*")(\)?;?)$/.exec(rest);
  const [, chain = '', value = '', end = ''] = match ?? [];
  if (language.chains?.test(chain) !== true) return null;
  const actual = text.slice(open + 1, close);
  const literal = readLiteral(value, language.notation, values);
  if (literal === null || readLiteral(actual, language.notation, values) !== null) return null;
  const sides: Sides = { left: actual, right: value, isLeft: false, literal };
  // What waits for a promise gets none here.
  if (chain.includes('resolves')) return null;
  const write = (kind: Kind) => {
    const [a, b] = fill(sides, kind, language);
    return `${text.slice(0, open + 1)}${a})${chain}${b}${end}`;
  };
  return { name: null, write };
}

type Way = { readonly language: Language; readonly values: Values };

/** One side is a literal, the other one is computed. */
function sidesOf(left: string, right: string, { language, values }: Way): Sides | null {
  const [a, b] = [left, right].map((each) => readLiteral(each, language.notation, values));
  if (left === '' || right === '') return null;
  if (b && !a) return { left, right, isLeft: false, literal: b };
  if (a && !b) return { left, right, isLeft: true, literal: a };
  return null;
}

function fill(
  sides: Sides,
  kind: Kind,
  { keep, alwaysKeeps }: Language,
): readonly [string, string] {
  const { left, right, isLeft, literal } = sides;
  const [one, two] = literal.pair;
  const actual = isLeft ? right : left;
  const inOrder = (value: string, expected: string) =>
    isLeft ? ([expected, value] as const) : ([value, expected] as const);
  switch (kind) {
    case 'altered':
      return inOrder(actual, literal.other);
    case 'unequal':
      return inOrder(keep(actual, two), one);
    case 'bareUnequal':
      return inOrder(alwaysKeeps === true ? keep(actual, two) : two, one);
    case 'bareEqual':
      return inOrder(alwaysKeeps === true ? keep(actual, one) : one, one);
  }
}

function operatorIn(
  text: string,
  { operators, joints }: Language,
): { readonly index: number; readonly operator: string } | null {
  let found: { readonly index: number; readonly operator: string } | null = null;
  let isJoined = false;
  let after = 0;
  const end = walk(text, 0, (index) => {
    if (index < after) return false;
    isJoined ||= joints.some((each) => text.startsWith(each, index));
    const operator = operators.find((each) => text.startsWith(each, index));
    if (operator === undefined) return false;
    isJoined ||= found !== null;
    found = { index, operator };
    after = index + operator.length;
    return false;
  });
  return end === -1 || isJoined ? null : found;
}

function unquoted(text: string): string | null {
  return /^(['"])(.*)\1$/.exec(text)?.[2] ?? null;
}

const word = String.raw`("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"']+)`;
const bracket = new RegExp(
  String.raw`^(\[\[? |test )\s*${word} (=|==|-eq|!=|-ne) ${word}( \]\]?)?(|;.*| \|\|.*| \|\| \{)$`,
);
const called = new RegExp(
  String.raw`^((?:assert\w*|\w*[eE]quals?|expect\w*|check|is|same|eq) )${word} ${word}(| .*)$`,
);

const compared = new RegExp(
  String.raw`^((?:diff|cmp)(?: -\w+)* )(?:<\([^()]*\)|${word}) (<\([^()]*\)|${word})(|;.*| >.*| \|\|.*)$`,
);

/** `diff expected.txt out.txt`: the script itself is another file than either. */
function readDiff(text: string): Found | null {
  const [, head, , second, , tail] = compared.exec(text) ?? [];
  if (head === undefined || second === undefined) return null;
  const pairs = {
    altered: `"$0" ${second}`,
    unequal: '"$0" /dev/null',
    bareUnequal: '"$0" /dev/null',
    bareEqual: '"$0" "$0"',
  };
  return { name: null, write: (kind) => `${head}${pairs[kind]}${tail ?? ''}` };
}

/** `[ "$(sub 2 1)" = 1 ]`, and functions that take two values. */
function readShell(text: string, values: Values): Found | null {
  const files = readDiff(text);
  if (files !== null) return files;
  const inBrackets = bracket.exec(text);
  const [, head = '', left = '', operator = '', right = '', close = '', tail = ''] =
    inBrackets ?? [];
  const isWhole = inBrackets !== null && (head.startsWith('[') ? close !== '' : close === '');
  const way = { language: shell, values };
  if (isWhole) {
    const sides = sidesOf(left, right, way);
    if (sides === null) return null;
    const write = (kind: Kind) => {
      const [a, b] = fill(sides, kind, shell);
      return `${head}${a} ${operator} ${b}${close}${tail}`;
    };
    return { name: null, write };
  }
  const [, name = '', first = '', second = '', more = ''] = called.exec(text) ?? [];
  const sides = name === '' ? null : sidesOf(first, second, way);
  if (sides === null) return null;
  const write = (kind: Kind) => `${name}${fill(sides, kind, shell).join(' ')}${more}`;
  return { name: null, write };
}
