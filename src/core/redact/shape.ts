/**
 * How a secret that is known by its looks is recognised: it begins with a prefix, and what follows is decided from a bounded
 * number of bytes. Linear, without going back.
 */
import { endOfRun, type ByteClass } from './bytes.ts';
import { pemBody } from './pem-body.ts';
import { decisiveBytes } from './plausible.ts';

/** What is looked at. */
export type Input = {
  readonly data: Uint8Array;
  /** What came before the data. */
  readonly behind: Uint8Array;
  readonly isLast: boolean;
  /** Whether the text is interrupted before this byte, by an escape sequence: a word ends there. */
  readonly isCutAt: (index: number) => boolean;
};

/** Covers what still belongs to a secret whose beginning was found. */
export type Rest = (data: Uint8Array, from: number) => Covered;

export type Covered = {
  readonly end: number;
  /** Set when the data ends before the secret does. */
  readonly rest: Rest | null;
};

export type Match = Covered & { readonly start: number };

/** Unfinished when more data could change the answer. */
export type Found = Match | 'unfinished' | null;

export type Shape = {
  readonly prefix: Uint8Array;
  /** May begin in the middle of a word. */
  readonly isAnywhere: boolean;
  /** `at` is where the prefix begins, `from` what is behind it. */
  readonly match: (input: Input, at: number, from: number) => Found;
};

export type KeyRule = {
  readonly body: ByteClass;
  readonly shortest: number;
  /** Of the prefix, how much may be shown. */
  readonly shown: number;
  /** What may stand between the prefix and the key; at least one of them does. */
  readonly gap: ByteClass | null;
  /** Whether the first bytes of the body are a key and not a word. */
  readonly isKey: (data: Uint8Array, from: number, end: number) => boolean;
};

const longestGap = 12;

/** A run of bytes of one kind. */
export function matchKey(rule: KeyRule): Shape['match'] {
  const { body, shortest, shown, gap, isKey } = rule;
  const rest = runOf(body);
  return ({ data, isLast }, at, behindPrefix) => {
    const from =
      gap === null ? behindPrefix : endOfRun(gap, data, behindPrefix, behindPrefix + longestGap);
    if (gap !== null && from === behindPrefix && from < data.length) return null;
    const { end, rest: more } = rest(data, from);
    const goesOn = more !== null && !isLast;
    if (goesOn && end - from < decisiveBytes) return 'unfinished';
    if (end - from < shortest) return null;
    if (!isKey(data, from, Math.min(end, from + decisiveBytes))) return null;
    const start = gap === null ? at + shown : from;
    return { start, end, rest: goesOn ? more : null };
  };
}

function runOf(kind: ByteClass): Rest {
  const rest: Rest = (data, from) => {
    const end = endOfRun(kind, data, from);
    return { end, rest: end === data.length ? rest : null };
  };
  return rest;
}

export type SignedRule = {
  readonly part: ByteClass;
  readonly shortestPart: number;
  readonly longestHead: number;
  /** The parts and the dots between them. */
  readonly all: ByteClass;
};

/** `head.payload.signature`: a long word alone is something else, such as a source map. */
export function matchSigned(rule: SignedRule): Shape['match'] {
  const { part, shortestPart, longestHead, all } = rule;
  const rest = runOf(all);
  return ({ data, isLast }, at, from) => {
    const dot = endOfRun(part, data, from, from + longestHead);
    if (dot === data.length && !isLast) return dot - from < longestHead ? 'unfinished' : null;
    if (dot - from < shortestPart || data[dot] !== 0x2e) return null;
    const { end, rest: more } = rest(data, dot + 1);
    const goesOn = more !== null && !isLast;
    if (end - dot - 1 < shortestPart) return goesOn ? 'unfinished' : null;
    return { start: at, end, rest: goesOn ? more : null };
  };
}

export type PasswordRule = {
  readonly authority: ByteClass;
  readonly longest: number;
  readonly shortest: number;
  /** A password does not begin with it: `${PASSWORD}`. */
  readonly notFirst: ByteClass;
};

/** `user:password@` at the beginning of an address: the password. */
export function matchPassword(rule: PasswordRule): Shape['match'] {
  const { authority, longest, shortest, notFirst } = rule;
  return ({ data, isLast }, _at, from) => {
    const end = endOfRun(authority, data, from, from + longest);
    if (end === data.length && !isLast && end - from < longest) return 'unfinished';
    const colon = data.subarray(from, end).indexOf(0x3a);
    const at = data.subarray(from, end).lastIndexOf(0x40);
    if (colon === -1 || at - colon - 1 < shortest) return null;
    const start = from + colon + 1;
    return notFirst[data[start] ?? 0] === 1 ? null : { start, end: from + at, rest: null };
  };
}

export type BlockRule = {
  readonly label: ByteClass;
  readonly longestLabel: number;
  /** What labels of secret blocks hold. */
  readonly secret: Uint8Array;
};

/** `-----BEGIN RSA PRIVATE KEY-----` and everything up to its end, over many lines. */
export function matchBlock(rule: BlockRule): Shape['match'] {
  const { label, longestLabel, secret } = rule;
  return ({ data, isLast }, at, from) => {
    const end = endOfRun(label, data, from, from + longestLabel);
    if (end === data.length && !isLast) return end - from < longestLabel ? 'unfinished' : null;
    if (data[end] !== 0x2d || !holds(data.subarray(from, end), secret)) return null;
    const { end: covered, rest } = pemBody(data, end);
    return { start: at, end: covered, rest: isLast ? null : rest };
  };
}

function holds(label: Uint8Array, word: Uint8Array): boolean {
  for (let at = 0; at + word.length <= label.length; at += 1) {
    if (word.every((byte, index) => label[at + index] === byte)) return true;
  }
  return false;
}
