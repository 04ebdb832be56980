import type { Activity, AgentOutcome } from '../core/agent/outcome.ts';
import type { ProcessEnd, ProcessIdentity, Sandbox } from './process.ts';

/** Everything an adapter may use to build its command. Plain data. */
export type AgentRun = {
  readonly loopId: string;
  readonly taskId: string;
  readonly iteration: number;
  readonly maxIterations: number;
  /** Null when the agent has no models; recorded as `default`. */
  readonly model: string | null;
  readonly systemPrompt: string | null;
  readonly prompt: string;
  /** Absolute path of the prompt as a file (also `LOOPWRIGHT_PROMPT_FILE`). */
  readonly promptFile: string;
  readonly cwd: string;
  /** The allow-listed environment; adapters add their own quiet settings. */
  readonly env: Readonly<Record<string, string>>;
  /** A run that begins another turn is ended with what it has done; 0: no limit. */
  readonly maxTurns: number;
  /** How often an agent may repeat a request that failed before the engine waits instead; absent: as it likes. */
  readonly apiRetries?: number;
  /** Go on with this session of the agent's own; absent: from nothing. */
  readonly resume?: ResumedSession;
  /** A later run may go on with the session of this one: how full it is has to be known. */
  readonly keepsSession?: true;
  /** The socket of the loop's door, for agents that speak through it themselves; absent: there is none. */
  readonly door?: string;
  /** Walls around the agent; null or absent: none. */
  readonly sandbox?: Sandbox | null;
};

export type ResumedSession = {
  readonly id: string;
  /** What its runs have used so far: some agents tell only sums of the session. */
  readonly used: AgentOutcome['tokens'];
};

export type AgentCommand = {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  /** Written to stdin, which is then closed. Null: stdin is /dev/null. */
  readonly stdin: string | null;
  /** Files the agent needs beside its command, written before it starts (absolute path → content). */
  readonly files: Readonly<Record<string, string>>;
  /** Absolute paths that the command needs to read, wherever they are. */
  readonly readable?: readonly string[];
  /** Values that must not be kept wherever they turn up in its output, beside those of its environment. */
  readonly secrets?: readonly string[];
  /** What the agent keeps between its runs (settings, sign-in), as paths below the home folder. */
  readonly state?: readonly string[];
};

export type AgentEvent =
  | { readonly type: 'activity'; readonly activity: Activity }
  /** What this run has used so far: totals, not differences. */
  | {
      readonly type: 'usage';
      readonly tokens: AgentOutcome['tokens'];
      readonly costUsd: number | null;
      /** Which model; null or absent: the one the run was started with. */
      readonly model?: string | null;
    }
  /** How many turns the agent has taken or begun in this run: a total, not a difference. */
  | { readonly type: 'turn'; readonly turns: number }
  /**
   * The agent waits before it repeats a request that failed, for the so-manieth time in a row. `waitMs` is null when it does not
   * tell how long.
   */
  | { readonly type: 'retry'; readonly retries: number; readonly waitMs: number | null }
  /** The terminal event of the stream was seen: the agent is finished even if it does not exit. */
  | { readonly type: 'result' };

/**
 * A coding agent as data plus pure functions. `S` is the parser's own state; `parse` may mutate nothing and
 * returns the next state. Lines come without their newline, as bounded text.
 */
export type AgentAdapter<S = unknown> = {
  readonly name: string;
  /** `cli` agents get 30 minutes per iteration, `native` 5. */
  readonly kind: 'cli' | 'native';
  /** `bypassed`: it acts without asking anybody. Absent: not known. */
  readonly permissions?: 'bypassed';
  /** It tells the tokens it uses and not what they cost: somebody has to know the price of its model. */
  readonly needsPrice?: true;
  /** It has a channel for a system prompt beside the prompt. */
  readonly hasSystemPrompt?: true;
  /** It tells what it uses while it works, and not only at its end. */
  readonly reportsUsage?: true;
  /** It can go on with an earlier session of its own, and tells how full that is. */
  readonly canResume?: true;
  /** It never tells what it uses: no budget of cost or tokens can hold for it. */
  readonly hasNoUsage?: true;
  /** Names or patterns of the variables it needs from the user's environment: its keys, addresses, folders. */
  readonly variables?: readonly string[];
  command(run: AgentRun): AgentCommand;
  /** Files the agent writes for itself while it works, as absolute paths with `*` within names: a sign of life. */
  transcripts?(run: AgentRun): readonly string[];
  /** `latest`, for output that is only shown: of a flood of lines only the last ones are parsed. */
  readonly lines?: 'all' | 'latest';
  start(run?: AgentRun): S;
  /** Of a line of its own transcript: percent of the context in use. For agents whose stream does not tell. */
  readonly contextIn?: (line: string) => number | null;
  parse(line: string, state: S): { readonly state: S; readonly events: readonly AgentEvent[] };
  /**
   * `stdout` is the end of what was printed, in whole lines where possible; `nowMs` the moment of the end, in UTC milliseconds,
   * which times of day in the stream are measured from.
   */
  finish(
    state: S,
    end: ProcessEnd,
    stderrTail: string,
    stdout?: string,
    nowMs?: number,
  ): AgentOutcome;
};

export type AgentSink = {
  /** Called with the process identity before the agent may act; the run starts only after it resolves. */
  started(identity: ProcessIdentity): Promise<void>;
  activity(activity: Activity): void;
  /** What this run has used so far: totals, not differences. */
  usage(tokens: AgentOutcome['tokens'], costUsd: number | null, model: string | null): void;
  /** Turns so far: a total, not a difference. */
  turns?(turns: number): void;
};

export type AgentLimits = {
  readonly timeoutMs: number;
  /** Time without any sign of life after which the agent hangs; 0 or absent: never. */
  readonly idleMs?: number;
  readonly graceMs: number;
};

export type AgentFiles = {
  /** Absolute paths; stdout is the raw transcript. */
  readonly stdout: string;
  readonly stderr: string;
};

export type AgentRunResult = {
  readonly outcome: AgentOutcome;
  readonly end: ProcessEnd;
  readonly durationMs: number;
};

/** Runs one agent once, from a fresh process, and ends everything it started before it settles. */
export interface AgentRunner {
  readonly name: string;
  readonly kind: 'cli' | 'native';
  /** `bypassed`: it acts without asking anybody. Absent: not known. */
  readonly permissions?: 'bypassed';
  /** It tells the tokens it uses and not what they cost. */
  readonly needsPrice?: true;
  /** It has a channel for a system prompt beside the prompt. */
  readonly hasSystemPrompt?: true;
  /** It tells what it uses while it works. */
  readonly reportsUsage?: true;
  /** It can go on with an earlier session of its own. */
  readonly canResume?: true;
  /** It never tells what it uses. */
  readonly hasNoUsage?: true;
  /** What it needs from the user's environment, as names or patterns. */
  readonly variables: readonly string[];
  run(
    run: AgentRun,
    files: AgentFiles,
    limits: AgentLimits,
    sink: AgentSink,
    signal: AbortSignal,
  ): Promise<AgentRunResult>;
}
