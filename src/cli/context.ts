import type { FlagValues } from '../core/config/flags.ts';
import type { Opened } from '../daemon/compose.ts';
import type { Clock } from '../ports/clock.ts';
import type { LiveListener } from '../ports/live.ts';

/** What a command may touch of the world. Only `main.ts` builds one from the process. */
export type CliContext = {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly version: string;
  /** Called by an agent of this loop; absent: by a person or a program of theirs. */
  readonly insideLoop?: string;
  /** How this very program is started: its interpreter and its entry. */
  readonly program: readonly [string, ...string[]];
  readonly clock: Clock;
  /** Results. */
  readonly out: Output;
  /** Talk: progress, warnings, errors. */
  readonly err: Output;
  /** Whole standard input as text; more than `maxBytes`, 10 MB unless given, is refused. */
  readStdin(maxBytes?: number): Promise<string>;
  readonly stdinIsTerminal: boolean;
  /** Calls back on SIGINT, SIGTERM, SIGHUP until disposed; the process then does not end by itself. */
  onSignal(listener: (signal: Signal) => void): Disposable;
  /**
   * The project around `cwd` with its store and engine. Opened on demand: commands that need no project never
   * call it. Warnings about the configuration go to `err`.
   */
  open(options?: OpenOptions): Promise<Opened>;
};

export type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

export type OpenOptions = {
  /** Where to look for the project; the context's own place unless given. */
  readonly cwd?: string;
  /** Settings given on the command line. */
  readonly flags?: FlagValues;
  /** Live events of the engine. */
  readonly publish?: LiveListener;
  /** Leaves no trace where there was none. */
  readonly isTransient?: boolean;
  /** Keeps its state in a temporary folder, also where the project has state of its own. */
  readonly isApart?: boolean;
  /** Text that stands for the project's `loopwright.yml`. */
  readonly draft?: string;
  /** Looks, pauses or stops: a mistake in the configuration is a warning. */
  readonly startsNothing?: boolean;
  /** Only looks, and starts nothing: a store that cannot be written is shown all the same, with a warning. */
  readonly onlyReads?: boolean;
  /** Runs under a cost budget that cannot hold. */
  readonly allowUnpriced?: boolean;
};

export type Output = {
  write(text: string): void;
  readonly isTerminal: boolean;
  /** Colour is wanted: a terminal and no `NO_COLOR`. */
  readonly hasColour: boolean;
  /** Columns of the terminal; 80 without one. */
  readonly columns: number;
  /** Lines of the terminal; absent without one. */
  readonly rows?: number;
};
