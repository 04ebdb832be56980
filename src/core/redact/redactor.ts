/**
 * Takes secrets out of a stream of bytes before anybody keeps it. Works on bytes, so that what is no text passes unharmed, and
 * gives the same result however the stream is cut: what may be the beginning of a secret is held back until that is
 * certain. Holds some hundred bytes at most, and needs time linear in what it is given.
 *
 * Every occurrence of every secret is covered, also where they overlap; what is covered at a stretch becomes one mark.
 */
import {
  ascii,
  decisiveBytes,
  isKey,
  isWordStart,
  keyPatterns,
  lookBehind,
  type KeyPattern,
} from './key-pattern.ts';
import { secretForms } from './secret-forms.ts';
import { createStarters, type Starters } from './starters.ts';

export type Redactor = {
  /** What can be passed on now: parts of what was given, and marks. Parts may be views of the chunk. */
  push(chunk: Uint8Array): readonly Uint8Array[];
  /** The rest. Nothing can be pushed afterwards. */
  end(): readonly Uint8Array[];
};

/** Makes redactors, one for each stream. */
export type Redaction = {
  /** Hides what is known by now. */
  stream(): Redactor;
  /** Streams made from now on hide these values as well. */
  learn(secrets: readonly string[]): void;
};

export const redactedMark = ascii('[redacted]');

/** Hides these values, in all their forms, and everything that looks like a key. */
export function createRedaction(secrets: readonly string[]): Redaction {
  const known = new Set(secrets);
  let starters: Starters | null = null;
  return {
    stream() {
      starters ??= createStarters(secretForms([...known]), keyPatterns);
      return createRedactor(starters);
    },
    learn(values) {
      const { size } = known;
      for (const value of values) known.add(value);
      if (known.size > size) starters = null;
    },
  };
}

function createRedactor(starters: Starters): Redactor {
  let held = nothing;
  let behind = nothing;
  let cover: Cover = { bytes: 0, isOpen: false, runs: [] };

  function take(data: Uint8Array, isLast: boolean): readonly Uint8Array[] {
    const result = redact(starters, { data, behind, isLast }, cover);
    cover = result.cover;
    behind = lastBytes(behind, data.subarray(0, result.end));
    held = result.end === data.length ? nothing : new Uint8Array(data.subarray(result.end));
    return result.out;
  }

  return {
    push: (chunk) => (chunk.length === 0 ? [] : take(joined(held, chunk), false)),
    end: () => take(held, true),
  };
}

/** What the last mark still covers. */
type Cover = {
  /** So many bytes at the beginning of the data. */
  readonly bytes: number;
  /** Nothing was passed on since that mark: what is covered right after it needs no other one. */
  readonly isOpen: boolean;
  /** Covered keys go on as long as their kinds of bytes do. */
  readonly runs: readonly Uint8Array[];
};

type Input = {
  readonly data: Uint8Array;
  /** What came before the data. */
  readonly behind: Uint8Array;
  readonly isLast: boolean;
};

type Redacted = {
  readonly out: readonly Uint8Array[];
  /** Up to here the data is dealt with. */
  readonly end: number;
  readonly cover: Cover;
};

function redact(starters: Starters, input: Input, before: Cover): Redacted {
  const { data, isLast } = input;
  const out: Uint8Array[] = [];
  let { isOpen } = before;
  const goesOn = (kind: Uint8Array): boolean => endOfRun(kind, data, before.bytes) === data.length;
  let covered = Math.max(
    before.bytes,
    ...before.runs.map((kind) => endOfRun(kind, data, before.bytes)),
  );
  const runs = new Set(before.runs.filter(goesOn));
  let end = isLast ? data.length : starters.firstUnfinished(data);

  const next = (from: number): number => starters.next(data, from, input.behind);
  for (let at = next(0); at !== -1; at = next(at + 1)) {
    const found = matchAt(starters, input, at);
    if (found === 'unfinished') {
      end = Math.min(end, at);
      break;
    }
    if (found === null) continue;
    if (!isOpen || found.start > covered) {
      if (found.start > covered) out.push(data.subarray(covered, found.start));
      out.push(redactedMark);
      isOpen = true;
    }
    covered = Math.max(covered, found.end);
    if (found.run !== null) runs.add(found.run);
  }
  if (covered < end) {
    out.push(covered === 0 && end === data.length ? data : data.subarray(covered, end));
    isOpen = false;
  }
  return { out, end, cover: { bytes: Math.max(covered - end, 0), isOpen, runs: [...runs] } };
}

type Match = {
  readonly start: number;
  readonly end: number;
  /** Set when the data ends before the key does. */
  readonly run: Uint8Array | null;
};

/** The longest of what begins here; unfinished when more data could change that. */
function matchAt(starters: Starters, input: Input, at: number): Match | 'unfinished' | null {
  const starter = starters.at(input.data, at);
  let longest: Match | null = null;
  for (const form of starter?.forms ?? []) {
    const found = startsWith(input, at, form);
    if (found === 'unfinished') return found;
    if (found) longest = longer(longest, { start: at, end: at + form.length, run: null });
  }
  for (const pattern of starter?.patterns ?? []) {
    const found = matchKey(input, at, pattern);
    if (found === 'unfinished') return found;
    longest = longer(longest, found);
  }
  return longest;
}

function matchKey(input: Input, at: number, pattern: KeyPattern): Match | 'unfinished' | null {
  const { data, behind, isLast } = input;
  if (!isWordStart(data, at, behind)) return null;
  const found = startsWith(input, at, pattern.prefix);
  if (found !== true) return found === 'unfinished' ? found : null;
  const from = at + pattern.prefix.length;
  const end = endOfRun(pattern.body, data, from);
  const goesOn = end === data.length && !isLast;
  if (goesOn && end - from < decisiveBytes) return 'unfinished';
  if (!isKey(pattern, data, from, end)) return null;
  return { start: at + pattern.shown, end, run: goesOn ? pattern.body : null };
}

function startsWith({ data, isLast }: Input, at: number, text: Uint8Array): boolean | 'unfinished' {
  const until = Math.min(text.length, data.length - at);
  for (let i = 0; i < until; i += 1) if (data[at + i] !== text[i]) return false;
  if (until === text.length) return true;
  return isLast ? false : 'unfinished';
}

/** Of two matches at one place everything is covered. */
function longer(a: Match | null, b: Match | null): Match | null {
  if (a === null || b === null) return a ?? b;
  return {
    start: Math.min(a.start, b.start),
    end: Math.max(a.end, b.end),
    run: a.run ?? b.run,
  };
}

function endOfRun(kind: Uint8Array, data: Uint8Array, from: number): number {
  let end = from;
  while (end < data.length && kind[data[end] ?? 0] === 1) end += 1;
  return end;
}

const nothing: Uint8Array = new Uint8Array(0);

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  if (a.length === 0) return b;
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

function lastBytes(a: Uint8Array, b: Uint8Array): Uint8Array {
  return new Uint8Array((b.length >= lookBehind ? b : joined(a, b)).subarray(-lookBehind));
}
