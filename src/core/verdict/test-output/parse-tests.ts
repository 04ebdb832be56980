import { raisesDoubt } from './doubt.ts';
import { type Draft, finishedTests, maxDetails } from './draft.ts';
import { findJunitReports, type JunitReport } from './junit-xml.ts';
import { forEachLine } from './lines.ts';
import { readChannel, tellsMonorepo, withoutTime } from './log-prefix.ts';
import { junitName, runners, runnersOf } from './registry.ts';
import type { Reader, Runner } from './runner.ts';
import type { TestRun } from './test-run.ts';

export type { TestRun } from './test-run.ts';

/** How many writers of one log are told apart. */
const maxChannels = 64;

/**
 * Reads what test runners printed, or a report in JUnit's XML, TAP or the JSON of `go test`. Several runs are added
 * up. Text that a test prints and that looks like another runner's summary does not count; where the output leaves a
 * doubt, the verdict is lowered, never raised. With `only`, a name of the registry, no other runner is looked for. Total and linear; escapes
 * may still be in the text and should be, because they tell redrawn lines apart.
 */
export function parseTests(output: string, only: string | null = null): TestRun {
  const reports = only === null || only === junitName ? findJunitReports(output) : [];
  const chosen = only === null ? runners : runnersOf(only);
  const log = createLog(chosen);
  for (const text of outsideOf(output, reports)) forEachLine(text, log.line);
  const { runs, isDoubtful } = log.end();
  const drafts = reports.map(({ draft }) => draft);
  return combine(withoutTwice(drafts, runs), isDoubtful);
}

/** The text without its whole reports, whose texts would look like output; of one that breaks off nothing is lost. */
function outsideOf(output: string, reports: readonly JunitReport[]): string[] {
  const pieces: string[] = [];
  let from = 0;
  for (const { draft, start, end } of reports) {
    if (draft.incomplete) continue;
    pieces.push(output.slice(from, start));
    from = end;
  }
  return [...pieces, output.slice(from)];
}

/** A report beside the output of the very run it reports is the same run: the one that says more is kept. */
function withoutTwice(reports: readonly Draft[], runs: readonly Draft[]): readonly Draft[] {
  const isSame = (['passed', 'failed', 'skipped'] as const).every(
    (key) => sumOf(reports, key) === sumOf(runs, key),
  );
  if (!isSame || runs.length === 0 || reports.length === 0) return [...reports, ...runs];
  const details = (drafts: readonly Draft[]) =>
    drafts.reduce((sum, draft) => sum + draft.failures.length + draft.errors.length, 0);
  return details(reports) > details(runs) ? reports : runs;
}

function sumOf(runs: readonly Draft[], key: 'passed' | 'failed' | 'skipped'): number {
  return runs.reduce((sum, run) => sum + run[key], 0);
}

/** `starts` has a mark for each first character that matters to the idle reader; the last is for all beyond ASCII. */
type Seat = { readonly reader: Reader; readonly starts: Uint8Array | null };

type Channel = { readonly seats: readonly Seat[]; number: number };

type Log = {
  readonly line: (text: string) => void;
  readonly end: () => Sifted;
};

/**
 * Reads every line as it is, and in addition those with the prefix of a tool that runs several programs at once as
 * the output of that program alone.
 */
function createLog(chosen: readonly Runner[]): Log {
  const starts = chosen.map((runner) => marksOf(runner.starts));
  const open = (): Channel => ({
    seats: chosen.map((runner, i) => ({ reader: runner.read(), starts: starts[i] ?? null })),
    number: 0,
  });
  const main = open();
  const channels = new Map<string, Channel>();
  let isMonorepo = false;
  let isDoubtful = false;
  return {
    line: (text) => {
      const line = withoutTime(text);
      read(main, line);
      isDoubtful ||= raisesDoubt(line);
      isMonorepo ||= tellsMonorepo(line);
      const prefixed = readChannel(line, isMonorepo);
      if (prefixed === null) return;
      const known = channels.get(prefixed.name);
      if (known === undefined && channels.size >= maxChannels) return;
      const channel = known ?? open();
      if (known === undefined) channels.set(prefixed.name, channel);
      read(channel, prefixed.rest);
      isDoubtful ||= raisesDoubt(prefixed.rest);
    },
    end: () => {
      const own = realRuns(end(main));
      const others = [...channels.values()].map((channel) => realRuns(end(channel)));
      const theirs = others.flatMap(({ runs }) => runs);
      // Of prefixed lines a reader may still make out a piece of a run, never its end.
      const mine = own.runs.filter(
        (run) => !(run.incomplete && theirs.some(({ framework }) => framework === run.framework)),
      );
      return {
        runs: mine.length === 0 ? theirs : [...mine, ...theirs.filter(isAnchored)],
        isDoubtful: isDoubtful || [own, ...others].some((sifted) => sifted.isDoubtful),
      };
    },
  };
}

const beyondAscii = 128;

function marksOf(starts: string | undefined): Uint8Array | null {
  if (starts === undefined) return null;
  const marks = new Uint8Array(beyondAscii + 1);
  for (const char of starts) marks[Math.min(char.charCodeAt(0), beyondAscii)] = 1;
  return marks;
}

function read(channel: Channel, line: string): void {
  const number = ++channel.number;
  let indent = 0;
  while (line.charCodeAt(indent) === 0x20) indent++;
  const code = line.charCodeAt(indent);
  const first = code > beyondAscii ? beyondAscii : code;
  for (const { reader, starts } of channel.seats) {
    if (starts !== null && starts[first] !== 1 && reader.isIdle?.() === true) continue;
    reader.line(line, number);
  }
}

function end({ seats }: Channel): Draft[] {
  return seats.flatMap(({ reader }) => reader.end());
}

type Sifted = { readonly runs: Draft[]; readonly isDoubtful: boolean };

/**
 * Leaves out runs printed inside another runner's run, and bare summaries beside a run that shows more. A failing one
 * that is left out, and that no other run contains, may be the real one: then nothing is called green.
 */
function realRuns(drafts: readonly Draft[]): Sifted {
  const anchored = outermost(drafts.filter(isAnchored));
  const bare = drafts.filter((draft) => !draft.anchored);
  if (anchored.length === 0) return { runs: outermost(bare), isDoubtful: false };
  const outside = bare.slice(0, maxBare).filter((draft) => !isInsideOf(anchored, draft));
  const solid = outermost(outside.filter((draft) => draft.isSolid));
  return {
    runs: [...anchored, ...solid].toSorted((a, b) => a.first - b.first),
    isDoubtful: bare.length > maxBare || outside.some((draft) => !draft.isSolid && isRed(draft)),
  };
}

const maxBare = 10_000;

function outermost(drafts: readonly Draft[]): Draft[] {
  /** How far down the runs seen so far reach, for each runner. */
  const reach = new Map<string, number>();
  return drafts
    .toSorted((a, b) => a.first - b.first || b.last - a.last)
    .filter((draft) => {
      const isInside = [...reach].some(
        ([name, last]) => name !== draft.framework && draft.last <= last,
      );
      reach.set(draft.framework, Math.max(reach.get(draft.framework) ?? 0, draft.last));
      return !isInside;
    });
}

function isAnchored({ anchored }: Draft): boolean {
  return anchored;
}

function isRed({ failed, errors }: Draft): boolean {
  return failed > 0 || errors.length > 0;
}

/** Both ends of the draft lie in runs, which come sorted by their start. */
function isInsideOf(runs: readonly Draft[], { first, last }: Draft): boolean {
  return isLineInside(runs, first) && isLineInside(runs, last);
}

function isLineInside(runs: readonly Draft[], line: number): boolean {
  let low = 0;
  let high = runs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((runs[middle]?.first ?? 0) <= line) low = middle + 1;
    else high = middle;
  }
  // A run that outlasts many that start behind it is rare; some steps back are enough.
  return runs.slice(Math.max(0, low - 20), low).some((run) => run.last >= line);
}

function combine(runs: readonly Draft[], isDoubtful: boolean): TestRun {
  const [passed, failed, skipped] = [
    sumOf(runs, 'passed'),
    sumOf(runs, 'failed'),
    sumOf(runs, 'skipped'),
  ];
  const errors = runs.flatMap((run) => run.errors);
  const incomplete = runs.some((run) => run.incomplete);
  return {
    framework: runs.length === 0 ? null : [...new Set(runs.map((run) => run.framework))].join('+'),
    total: passed + failed + skipped,
    passed,
    failed,
    skipped,
    green: runs.some(isRed) ? false : incomplete || isDoubtful || passed === 0 ? null : true,
    unknown: passed + failed + skipped === 0,
    incomplete,
    errors,
    tests: runs.flatMap(finishedTests).slice(0, maxDetails),
    failures: runs.flatMap((run) => run.failures).slice(0, maxDetails),
  };
}
