/** The patterns of one ignore file (`.gitignore`, `info/exclude`) and the folder they count from. */
export type IgnoreList = {
  /** From the root of the tree; empty for the root itself. */
  readonly folder: string;
  readonly rules: readonly IgnoreRule[];
};

type IgnoreRule = {
  readonly isNegated: boolean;
  readonly isForFolders: boolean;
  /** Has a slash before its end: it counts from the folder of the file. */
  readonly isAnchored: boolean;
  readonly segments: readonly Segment[];
};

/** `**` stands for any number of folders. */
type Segment = '**' | readonly Part[];
type Part =
  | { readonly kind: 'star' }
  | { readonly kind: 'any' }
  | { readonly kind: 'char'; readonly char: string }
  | { readonly kind: 'set'; readonly ranges: readonly Range[]; readonly isNegated: boolean };

/** First and last code unit. Ranges of a set are sorted and apart, so that the memory of a list never exceeds its text by much. */
type Range = readonly [first: number, last: number];

const maxRules = 5000;
const maxChars = 128 * 1024;
const maxPatternChars = 1000;

/** Reads an ignore file as git does. Bounded, and never throws: a line that means nothing ignores nothing. */
export function parseIgnoreList(text: string, folder: string): IgnoreList {
  const lines = text
    .slice(0, maxChars)
    .replace(/^\uFEFF/, '')
    .split('\n', maxRules);
  return { folder, rules: lines.flatMap((line) => parseRule(line)) };
}

/**
 * Whether a path is ignored by the lists that apply to it, weakest first. Its folders are asked for separately: nothing below
 * an ignored folder can be taken back.
 */
export function isIgnored(lists: readonly IgnoreList[], path: string, isFolder: boolean): boolean {
  for (const { folder, rules } of lists.toReversed()) {
    const below = pathBelow(path, folder);
    if (below === null) continue;
    const segments = below.split('/');
    const found = rules.findLast((rule) => matches(rule, segments, isFolder));
    if (found !== undefined) return !found.isNegated;
  }
  return false;
}

function pathBelow(path: string, folder: string): string | null {
  if (folder === '') return path;
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : null;
}

function matches(rule: IgnoreRule, segments: readonly string[], isFolder: boolean): boolean {
  if (rule.isForFolders && !isFolder) return false;
  if (rule.isAnchored) return matchSegments(segments, rule.segments);
  const [only] = rule.segments;
  return only !== undefined && matchSegment(segments.at(-1) ?? '', only);
}

function parseRule(line: string): readonly IgnoreRule[] {
  let pattern = withoutTrailingBlanks(line.endsWith('\r') ? line.slice(0, -1) : line);
  if (pattern === '' || pattern.startsWith('#') || pattern.length > maxPatternChars) return [];
  const isNegated = pattern.startsWith('!');
  if (isNegated) pattern = pattern.slice(1);
  const isForFolders = pattern.endsWith('/');
  if (isForFolders) pattern = pattern.slice(0, -1);
  const isAnchored = pattern.includes('/');
  if (pattern.startsWith('/')) pattern = pattern.slice(1);
  const segments = pattern.split('/').map(parseSegment);
  if (segments.some((segment) => segment === null) || pattern === '') return [];
  return [{ isNegated, isForFolders, isAnchored, segments: segments.filter((s) => s !== null) }];
}

/** Blanks at the end count only behind a backslash. */
function withoutTrailingBlanks(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === ' ' && line[end - 2] !== '\\') end--;
  return line.slice(0, end);
}

/** Null for what git cannot match either: a set that does not end, a backslash with nothing behind it. */
function parseSegment(text: string): Segment | null {
  if (text === '**') return '**';
  const parts: Part[] = [];
  let at = 0;
  while (at < text.length) {
    const char = text[at] ?? '';
    if (char === '\\') {
      const next = text[at + 1];
      if (next === undefined) return null;
      parts.push({ kind: 'char', char: next });
      at += 2;
    } else if (char === '[') {
      const set = readSet(text, at);
      if (set === null) return null;
      parts.push(set.part);
      at = set.end;
    } else {
      // Several stars within a name are one.
      if (char !== '*' || parts.at(-1)?.kind !== 'star') parts.push(simplePart(char));
      at += 1;
    }
  }
  return parts;
}

function simplePart(char: string): Part {
  if (char === '*') return { kind: 'star' };
  return char === '?' ? { kind: 'any' } : { kind: 'char', char };
}

const digits = '09';
const small = 'az';
const capitals = 'AZ';
/** Pairs of the first and the last character. */
const classes: Readonly<Record<string, readonly string[]>> = {
  digit: [digits],
  lower: [small],
  upper: [capitals],
  alpha: [small, capitals],
  alnum: [small, capitals, digits],
  space: ['  ', '\t\t', '\v\r'],
  xdigit: [digits, 'af', 'AF'],
};

function readSet(text: string, from: number): { part: Part; end: number } | null {
  let at = from + 1;
  const isNegated = text[at] === '!' || text[at] === '^';
  if (isNegated) at++;
  const first = at;
  const ranges: Range[] = [];
  while (at < text.length && (text[at] !== ']' || at === first)) {
    const named = text[at] !== '[' ? null : /^\[:([a-z]{1,8}):\]/.exec(text.slice(at, at + 16));
    if (named !== null) {
      ranges.push(...(classes[named[1] ?? ''] ?? []).map((pair) => rangeOf(pair, pair.slice(1))));
      at += named[0].length;
      continue;
    }
    if (text[at] === '\\') at++;
    const start = text[at] ?? '';
    const isRange = text[at + 1] === '-' && text[at + 2] !== undefined && text[at + 2] !== ']';
    if (start !== '') ranges.push(rangeOf(start, isRange ? (text[at + 2] ?? '') : start));
    at += isRange ? 3 : 1;
  }
  if (text[at] !== ']') return null;
  return { part: { kind: 'set', ranges: apart(ranges), isNegated }, end: at + 1 };
}

function rangeOf(from: string, to: string): Range {
  return [from.charCodeAt(0), to.charCodeAt(0)];
}

/** Sorted, with those that touch made one; a range whose end is before its start holds nothing. */
function apart(ranges: readonly Range[]): readonly Range[] {
  const joined: [number, number][] = [];
  for (const [first, last] of ranges.toSorted(([a], [b]) => a - b)) {
    const before = joined.at(-1);
    if (last < first) continue;
    if (before !== undefined && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else joined.push([first, last]);
  }
  return joined;
}

function holds(ranges: readonly Range[], code: number): boolean {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle]?.[1] ?? 0) < code) low = middle + 1;
    else high = middle;
  }
  const found = ranges[low];
  return found !== undefined && found[0] <= code;
}

/** Row by row over the pattern: `reach[i]` says whether the pattern so far can end before segment `i`. */
function matchSegments(segments: readonly string[], pattern: readonly Segment[]): boolean {
  let reach = [true, ...segments.map(() => false)];
  for (const [index, part] of pattern.entries()) {
    const isLast = index === pattern.length - 1;
    reach = part === '**' ? overFolders(reach, isLast) : overOne(reach, segments, part);
  }
  return reach.at(-1) === true;
}

/** At the end of a pattern `**` stands for something inside the folder, never for the folder itself. */
function overFolders(reach: readonly boolean[], isLast: boolean): boolean[] {
  let seen = false;
  return reach.map((reached) => {
    const before = seen;
    seen ||= reached;
    return isLast ? before : seen;
  });
}

function overOne(
  reach: readonly boolean[],
  segments: readonly string[],
  part: readonly Part[],
): boolean[] {
  return reach.map((_, index) => {
    const before = index === 0 ? undefined : segments[index - 1];
    return reach[index - 1] === true && before !== undefined && matchSegment(before, part);
  });
}

/** Greedy matching with one point of return: never exponential. */
function matchSegment(text: string, pattern: Segment): boolean {
  if (pattern === '**') return true;
  let at = 0;
  let star = -1;
  let mark = 0;
  let p = 0;
  while (at < text.length) {
    const part = pattern[p];
    if (part?.kind === 'star') {
      star = p++;
      mark = at;
    } else if (part !== undefined && fits(part, text[at] ?? '')) {
      p++;
      at++;
    } else if (star >= 0) {
      p = star + 1;
      at = ++mark;
    } else return false;
  }
  while (pattern[p]?.kind === 'star') p++;
  return p === pattern.length;
}

function fits(part: Part, char: string): boolean {
  switch (part.kind) {
    case 'any':
    case 'star':
      return true;
    case 'char':
      return part.char === char;
    case 'set':
      return holds(part.ranges, char.charCodeAt(0)) !== part.isNegated;
  }
}
