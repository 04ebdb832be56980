/** How a supervised process ended. Exactly one of these, always. */
export type ProcessEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string }
  | { readonly kind: 'timed-out'; readonly afterMs: number }
  /** No output, no growing file and no work of any of its processes for so long. */
  | { readonly kind: 'hung'; readonly idleMs: number }
  | { readonly kind: 'cancelled' }
  /** Finished its work (by `finished()`), did not exit by itself, and was ended. */
  | { readonly kind: 'ended-after-result' }
  | { readonly kind: 'not-started'; readonly error: string; readonly code: string };

/** How a run's processes are kept together; the first two by a namespace of process ids. */
export type ContainmentMode = 'bubblewrap' | 'unshare' | 'cgroup' | 'process-group';

export type Containment = {
  readonly mode: ContainmentMode;
  /** Strong: the kernel guarantees that nothing outlives its run. */
  readonly strength: 'strong' | 'weak';
  /** Whether processes that left their group are found. */
  readonly sweepsEscaped: boolean;
  /** One sentence for people. */
  readonly limits: string;
  /** Why nothing better is in use. */
  readonly obstacles: readonly string[];
};

/** Who a process is, across reboots and pid reuse. */
export type ProcessIdentity = {
  /** Of the program, or of the first process of its namespace: whoever ends that ends the run. */
  readonly pid: number;
  /** Clock ticks since boot from `/proc/PID/stat`; null where the platform has none. */
  readonly startTime: string | null;
  readonly bootId: string | null;
  readonly host: string;
  /** How its processes are kept together; absent when unknown. */
  readonly containment?: ContainmentMode;
  /** Path of the cgroup it is in, where that is what keeps it together. */
  readonly cgroup?: string;
};

/** What a program may do, beside writing its working folder and reading what is not hidden. Paths are absolute. */
export type Sandbox = {
  readonly network: boolean;
  /** `~/` at the beginning means the program's home. */
  readonly writable: readonly string[];
  /** Seen although home and temporary folders are hidden; missing ones do not matter. */
  readonly readable: readonly string[];
  readonly hidden: readonly string[];
  /** Folders that look empty but for what is opened below them; absent: none. */
  readonly veiled?: readonly string[];
};

export type ProcessSpec = {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** The whole environment; nothing is inherited. The supervisor adds one variable to find what leaves its sight. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string | null;
  /** Redacted from its output and that of all others from now on, as are the secrets of its environment. */
  readonly secrets?: readonly string[];
  /** Absolute paths the streams are written to as they come; null: not kept on disk. */
  readonly stdoutFile: string | null;
  readonly stderrFile: string | null;
  /** `latest`: of a flood of lines only the last ones are handed on, which makes it cheap. Default: all. */
  readonly lines?: 'all' | 'latest';
  /** How much of each stream's end is kept in memory, in bytes. */
  readonly tailBytes: number;
  readonly timeoutMs: number | null;
  /** Time without any sign of life after which the program hangs; 0 or absent: never. */
  readonly idleMs?: number;
  /** Absolute paths, `*` allowed within names, of files that grow while the program works. */
  readonly growing?: readonly string[];
  /** Absent or null: no walls. Never weaker than asked for: `run` throws `sandbox.unavailable` instead. */
  readonly sandbox?: Sandbox | null;
  readonly graceMs: number;
  /** Absent: started when it is run, and not before. */
  readonly standby?: Standby;
};

/** Programs of one group recur: what starts them may stand ready before they are run. */
export type Standby = {
  readonly group: string;
  /** This one takes long enough to prepare the others, and itself, for the next time. */
  readonly isLong: boolean;
};

export type ProcessSink = {
  /** Awaited before the program may act (where the platform allows). */
  started?(identity: ProcessIdentity): Promise<void>;
  /** Complete lines of stdout without the newline; over-long lines are cut and marked. */
  line?(line: string): void;
};

export type ProcessResult = {
  readonly end: ProcessEnd;
  readonly durationMs: number;
  /** Null when nothing was started. */
  readonly containment: ContainmentMode | null;
  readonly stdoutTail: string;
  readonly stderrTail: string;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
};

/**
 * Starts programs and ends them with all they started. `run` settles only when nothing is left that can be found, but for
 * the keeper of a namespace, in which nothing can run any more.
 * It throws when output cannot be written, when the sink throws, and when processes survive even KILL.
 */
export interface Supervisor {
  run(
    spec: ProcessSpec,
    sink: ProcessSink,
    signal: AbortSignal,
    control?: ProcessControl,
  ): Promise<ProcessResult>;
  /** Ends what stands ready for programs of the group. */
  endStandby(group: string): Promise<void>;
  /** How runs are contained. Finding out may take some milliseconds, once. */
  containment(): Containment;
  /** Why programs cannot be run in a sandbox on this machine; null when they can. */
  sandboxFault(): string | null;
  /** This process. */
  self(): Promise<ProcessIdentity>;
  /** Whether that very process (not a reused pid) still lives. Unknown hosts count as alive. */
  isAlive(identity: ProcessIdentity): Promise<boolean>;
  /**
   * Ends what a dead owner's process left behind: its tree if it is still that process, and daemons that carry its mark
   * even if it is gone. True when something was ended.
   */
  endLeftover(identity: ProcessIdentity, graceMs: number): Promise<boolean>;
}

/** Lets the stream's reader say that the program has delivered its result. */
export type ProcessControl = {
  /** Resolves when the result was seen; the process then has `lingerMs` to exit. */
  readonly finished: Promise<void>;
  readonly lingerMs: number;
};
