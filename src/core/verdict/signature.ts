import { hash64, hashHalves } from '../hash.ts';
import { stripEscapes } from '../text/terminal.ts';

/** Fingerprint of a failure: `exact` for equality, `simhash` (64 bits as hex) for likeness. */
export type FailureSignature = { readonly exact: string; readonly simhash: string };

const keptAtEachEnd = 64 * 1024;
const shingleWords = 3;

/**
 * What a check's output says, without what differs between two runs of the same failure: colours, paths, numbers,
 * times, durations, addresses and ids. Neither the order nor the repetition of lines counts, because test runners
 * work in parallel. Only the first and last 64 K characters are read.
 */
export function failureSignature(output: string): FailureSignature {
  const lines = new Set<string>();
  for (const line of stripEscapes(bounded(output)).split('\n')) {
    const words = lineWords(line);
    if (words.length > 0) lines.add(words.join(' '));
  }
  return { exact: hash64([...lines].toSorted().join('\n')), simhash: simhash(lines) };
}

/** Likeness of two failures in 0..1: the share of equal SimHash bits. Unrelated outputs score near 0.5. */
export function signatureSimilarity(a: FailureSignature, b: FailureSignature): number {
  if (a.exact === b.exact) return 1;
  return 1 - (differingBits(a.simhash, b.simhash, 0) + differingBits(a.simhash, b.simhash, 8)) / 64;
}

function bounded(output: string): string {
  if (output.length <= 2 * keptAtEachEnd) return output;
  return `${output.slice(0, keptAtEachEnd)}\n${output.slice(-keptAtEachEnd)}`;
}

function lineWords(line: string): string[] {
  const words: string[] = [];
  for (const token of line.split(/[\s\r]/)) {
    if (token === '' || isPath(token) || isUuid(token)) continue;
    for (const word of token.toLowerCase().split(/[^a-z0-9_\u0080-\uffff]/)) {
      const kept = withoutNumbers(word);
      if (kept !== '') words.push(kept);
    }
  }
  return words;
}

/** Anything with a path separator, and `name.ext:12` or `name.ext:12:5` without one. */
function isPath(token: string): boolean {
  if (token.includes('/') || token.includes('\\')) return true;
  const colon = token.indexOf(':');
  return colon > 0 && token.lastIndexOf('.', colon) > 0 && isDigit(token.charCodeAt(colon + 1));
}

function isUuid(token: string): boolean {
  const start = token.indexOf('-') - 8;
  return start >= 0 && [8, 13, 18, 23].every((dash) => token[start + dash] === '-');
}

const calendar = new Set(
  'jan feb mar apr may jun jul aug sep oct nov dec mon tue wed thu fri sat sun am pm utc gmt'.split(
    ' ',
  ),
);

/** The word without its digits; empty when it is a number, a duration, an address, an id or part of a date. */
function withoutNumbers(word: string): string {
  if (calendar.has(word)) return '';
  let digits = 0;
  let hexDigits = 0;
  for (let i = 0; i < word.length; i++) {
    const code = word.charCodeAt(i);
    if (isDigit(code)) digits++;
    if (isDigit(code) || (code >= 0x61 && code <= 0x66)) hexDigits++;
  }
  if (digits === 0) return hexDigits === word.length && word.length >= 12 ? '' : word;
  if (isDigit(word.charCodeAt(0))) return '';
  if (hexDigits === word.length && word.length >= 4) return '';
  if (word.length >= 8 && digits >= 3) return '';
  return word.replaceAll(/[0-9]/g, '');
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function simhash(lines: ReadonlySet<string>): string {
  const votes = new Int32Array(64);
  const seen = new Set<string>();
  for (const line of lines) {
    for (const shingle of shingles(line.split(' '))) {
      if (seen.has(shingle)) continue;
      seen.add(shingle);
      const { high, low } = hashHalves(shingle);
      for (let bit = 0; bit < 32; bit++) {
        votes[bit] = (votes[bit] ?? 0) + (((high >>> bit) & 1) * 2 - 1);
        votes[bit + 32] = (votes[bit + 32] ?? 0) + (((low >>> bit) & 1) * 2 - 1);
      }
    }
  }
  return half(votes, 0) + half(votes, 32);
}

function shingles(words: readonly string[]): string[] {
  if (words.length <= shingleWords) return [words.join(' ')];
  const all: string[] = [];
  for (let i = 0; i + shingleWords <= words.length; i++) {
    all.push(words.slice(i, i + shingleWords).join(' '));
  }
  return all;
}

function half(votes: Int32Array, from: number): string {
  let value = 0;
  for (let bit = 0; bit < 32; bit++) {
    if ((votes[from + bit] ?? 0) > 0) value |= 1 << bit;
  }
  return (value >>> 0).toString(16).padStart(8, '0');
}

function differingBits(a: string, b: string, from: number): number {
  let bits = (readHex(a, from) ^ readHex(b, from)) >>> 0;
  let count = 0;
  for (; bits !== 0; bits = (bits & (bits - 1)) >>> 0) count++;
  return count;
}

/** Eight hex digits as a number; anything else reads as 0. */
function readHex(text: string, from: number): number {
  const value = Number.parseInt(text.slice(from, from + 8), 16);
  return Number.isNaN(value) ? 0 : value;
}
