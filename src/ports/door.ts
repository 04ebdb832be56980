/** What a command that was called from inside a loop answers. */
export type DoorAnswer = {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
};

/** How a model request ended, as the agent tells it. */
export type RequestReport =
  | { readonly type: 'answered'; readonly tokens: number }
  /** A 429; null: it does not say for how long. */
  | { readonly type: 'refused'; readonly afterMs: number | null };

/** Who answers at the door of one loop. */
export type DoorKeeper = {
  /** A command line, without the program. Never throws. */
  command(argv: readonly string[], stdin: string | null): Promise<DoorAnswer>;
  /** Settles when a model request may go out. What it returns is called exactly once, when that is over. */
  request(signal: AbortSignal): Promise<(report: RequestReport | null) => void>;
};

/** The way from inside a loop to its engine, while an agent runs. Nobody answers once it is disposed of. */
export type Door = AsyncDisposable & {
  /** Goes to the front of PATH: holds `loopwright`. */
  readonly folder: string;
  readonly socket: string;
  /** What has to be seen from inside for it to work. */
  readonly readable: readonly string[];
};

export type Doors = AsyncDisposable & {
  /** Begins to make what `open` needs: a door is wanted soon. */
  prepare(loopId: string): void;
  /** One at a time for a loop; its folder is the same every time. */
  open(loopId: string, keeper: DoorKeeper): Promise<Door>;
  /** The loop is not driven here any more. */
  close(loopId: string): Promise<void>;
};
