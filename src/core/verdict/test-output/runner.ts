import type { Draft } from './draft.ts';

/**
 * Reads the output of one runner, line by line. Every reader sees every line, also those of other runners: it keeps
 * what it recognises and never throws. A line comes without escapes and without its break, at most 4096 characters.
 */
export type Reader = {
  readonly line: (text: string, number: number) => void;
  /** The runs that were recognised, in order. `lastLine` is the last that is not empty: it tells where text breaks off. */
  readonly end: (lastLine: string) => readonly Draft[];
  /** Nothing was begun: only lines that begin with one of the runner's `starts` matter. */
  readonly isIdle?: () => boolean;
};

export type Runner = {
  readonly name: string;
  /** First characters, behind the indentation, of lines that matter to an idle reader; without it all do. */
  readonly starts?: string;
  readonly read: () => Reader;
};
