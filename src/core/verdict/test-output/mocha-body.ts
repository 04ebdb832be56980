import { addTest, createDraft, type Draft, maxDetails, mergeInto } from './draft.ts';

/** What was printed: tests, passed ones by their mark too, and what the dot reporter marked at most. */
type Tally = {
  readonly passes: number;
  readonly failures: number;
  readonly byMark: Readonly<Record<string, number>>;
  readonly dots: { readonly passes: number; readonly failures: number };
};

export type Title = { readonly indent: number; readonly name: string; readonly line: number };

/** A run being read: the tests it printed so far, and whether titles stand above them as mocha prints them. */
export type Body = {
  readonly draft: Draft;
  tally: Tally;
  /** The mark of each test in the draft that passed, empty for others. A reporter has one mark for all. */
  readonly marks: string[];
  hasTitles: boolean;
  /** The screen was cleared as the min reporter does it, or a bar was drawn as by progress; both print no tests. */
  isFramed: boolean;
  titles: readonly Title[];
};

export const noTests: Tally = {
  passes: 0,
  failures: 0,
  byMark: {},
  dots: { passes: 0, failures: 0 },
};

export function createBody(line: number): Body {
  return {
    draft: createDraft('mocha', line),
    tally: noTests,
    marks: [],
    hasTitles: false,
    isFramed: false,
    titles: [],
  };
}

type Fit = 'tests' | 'dots' | { readonly mark: string };

/**
 * What of the tally the summary counts: its tests, those of one mark, or the marks of the dot reporter, to which a test
 * that prints can only add.
 */
export function fitOf({ passes, failures, byMark, dots }: Tally, passing: number): Fit | null {
  if (passes === passing && passes + failures > 0) return 'tests';
  if (dots.passes + dots.failures > 0 && dots.passes >= passing) return 'dots';
  const mark = Object.keys(byMark).find((known) => byMark[known] === passing);
  return mark === undefined ? null : { mark };
}

export function sumOf(a: Tally, b: Tally): Tally {
  const byMark = { ...a.byMark };
  for (const [mark, count] of Object.entries(b.byMark)) byMark[mark] = (byMark[mark] ?? 0) + count;
  return {
    passes: a.passes + b.passes,
    failures: a.failures + b.failures,
    byMark,
    dots: {
      passes: a.dots.passes + b.dots.passes,
      failures: a.dots.failures + b.dots.failures,
    },
  };
}

export function joined(pieces: readonly Body[], tally: Tally): Body {
  const [first, last] = [pieces[0], pieces.at(-1)];
  if (first === undefined || last === undefined || first === last) return last ?? createBody(0);
  const draft = createDraft('mocha', first.draft.first);
  for (const piece of pieces) mergeInto(draft, piece.draft);
  return {
    ...last,
    draft,
    tally,
    marks: pieces.flatMap(({ marks }) => marks).slice(0, maxDetails),
    isFramed: pieces.some(({ isFramed }) => isFramed),
  };
}

/** The body without what a test printed in it. */
export function counted(body: Body, fit: Fit, passes: number): Body {
  const { draft, marks, tally } = body;
  if (fit === 'tests') return body;
  const own = createDraft('mocha', draft.first);
  own.last = draft.last;
  if (fit === 'dots') {
    return { ...body, draft: own, tally: { ...noTests, passes, failures: tally.dots.failures } };
  }
  for (const [at, { name, status, durationMs }] of draft.tests.entries()) {
    if (status !== 'passed' || marks[at] === fit.mark) addTest(own, name, status, durationMs);
  }
  return { ...body, draft: own, tally: { ...tally, passes } };
}

export function hasDots({ tally: { dots } }: Body): boolean {
  return dots.passes + dots.failures > 0;
}

/** A line of the dot reporter: `.` passed, `!` failed, `,` pending. What a test printed may stand behind. */
export function addDots(body: Body, text: string, number: number): void {
  if (!hasDots(body) && body.draft.tests.length === 0) body.draft.first = number;
  const marks = /^[.․,!]+/.exec(text)?.[0] ?? '';
  const failures = marks.split('!').length - 1;
  const passes = marks.length - failures - (marks.split(',').length - 1);
  body.tally = sumOf(body.tally, { ...noTests, dots: { passes, failures } });
  body.draft.last = number;
}
