import { raisesDoubt } from './doubt.ts';
import type { Draft } from './draft.ts';
import { readChannel, tellsMonorepo, withoutTime } from './log-prefix.ts';
import type { Reader, Runner } from './runner.ts';
import { isAnchored, realRuns, type Sifted } from './sift.ts';

/** How many writers of one log are told apart. */
const maxChannels = 64;

/** `starts` has a mark for each first character that matters to the idle reader; the last is for all beyond ASCII. */
type Seat = { readonly reader: Reader; readonly starts: Uint8Array | null };

type Channel = { readonly seats: readonly Seat[]; number: number; lastLine: string };

export type Log = {
  readonly line: (text: string) => void;
  /** Takes a report that stands behind the last line and was read elsewhere. */
  readonly report: (draft: Draft) => void;
  readonly end: () => Sifted;
};

/**
 * Reads every line as it is, and in addition those with the prefix of a tool that runs several programs at once as
 * the output of that program alone.
 */
export function createLog(chosen: readonly Runner[]): Log {
  const starts = chosen.map((runner) => marksOf(runner.starts));
  const open = (): Channel => ({
    seats: chosen.map((runner, i) => ({ reader: runner.read(), starts: starts[i] ?? null })),
    number: 0,
    lastLine: '',
  });
  const main = open();
  const channels = new Map<string, Channel>();
  const reports: Draft[] = [];
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
    report: (draft) => {
      // Between two lines: inside of a run only where that has lines on either side.
      draft.first = draft.last = main.number + 0.5;
      reports.push(draft);
    },
    end: () => {
      const own = realRuns([...end(main), ...reports]);
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
  if (line !== '') channel.lastLine = line;
  let indent = 0;
  while (line.charCodeAt(indent) === 0x20) indent++;
  const code = line.charCodeAt(indent);
  const first = code > beyondAscii ? beyondAscii : code;
  for (const { reader, starts } of channel.seats) {
    if (starts !== null && starts[first] !== 1 && reader.isIdle?.() === true) continue;
    reader.line(line, number);
  }
}

function end({ seats, lastLine }: Channel): Draft[] {
  return seats.flatMap(({ reader }) => reader.end(lastLine));
}
