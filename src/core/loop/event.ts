import type { AgentOutcomeKind, ModelUsage, Tokens } from '../agent/outcome.ts';
import type { MessageKind } from '../coordinate/message.ts';
import type { FlagValues } from '../config/flags.ts';
import type { Settings } from '../config/schema.ts';
import type { CostSource } from '../price/price.ts';
import type { AgentNotes } from '../memory/notes.ts';
import type { ProgressEntry } from '../progress/entry.ts';
import type { Confirmation } from '../verdict/confirmation.ts';
import type { GateResult } from '../verdict/gate.ts';
import type { VerificationReport } from '../verdict/report.ts';
import type { FileChanges } from './changes.ts';
import type { Question } from './consent.ts';
import type { Decision } from './judge.ts';
import type { Judges } from './judges.ts';
import type { Pass } from './passes.ts';
import type { AttemptOutcome, IterationStatus, RestReason, RestStatus } from './status.ts';
import type { Step } from './step.ts';

/** What `run` was asked beyond the settings. Fixed for the life of the loop. */
export type LoopOptions = {
  readonly inPlace: boolean;
  readonly commit: boolean;
  readonly verify: boolean;
  readonly keepGoing: boolean;
  /** Judge the base itself, without an agent: a parent task whose children are all done. */
  readonly verifyOnly: boolean;
};

/** Settings given on the command line, by flag name. */
export type Flags = FlagValues;

/** What the loop type says about the prompt. Frozen with the loop. */
export type PromptRecord = {
  /** Null: the default template. */
  readonly template: string | null;
  readonly systemPrompt: string | null;
  readonly inputs: Readonly<Record<string, string>>;
  /** From the front matter of the template. */
  readonly required: readonly string[];
  readonly defaults: Readonly<Record<string, unknown>>;
  /** Names the template in messages. */
  readonly source: string;
  /** Parts that the template takes in by name. Absent: none. */
  readonly partials?: Readonly<Record<string, string>>;
  /** Review passes, one iteration each at least. Absent: none. */
  readonly passes?: readonly Pass[];
};

/** `broken`: a check could not run, which says nothing about the base. */
export type BaselineState = 'red' | 'green' | 'unknown' | 'skipped' | 'broken';

/** Who a process is; the same shape as the process port's identity, as plain data. */
export type RecordedProcess = {
  readonly pid: number;
  readonly startTime: string | null;
  readonly bootId: string | null;
  readonly host: string;
  readonly containment?: 'bubblewrap' | 'unshare' | 'cgroup' | 'process-group';
  readonly cgroup?: string;
};

export type AgentRecord = {
  readonly kind: AgentOutcomeKind;
  readonly exitCode: number | null;
  readonly evidence: string;
  readonly tokens: Tokens | null;
  readonly costUsd: number | null;
  /** Who knew the cost; absent in old records. */
  readonly costSource?: CostSource | null;
  /** What the agent says it used; null or absent: nothing. */
  readonly model?: string | null;
  readonly models?: readonly ModelUsage[];
  readonly confidence?: 'low';
  /** See `AgentOutcome`. */
  readonly fault?: 'request';
  readonly retries?: number;
  readonly turns: number | null;
  readonly contextPercent: number | null;
  readonly sessionId: string | null;
  /** It was to go on with a session and could not. */
  readonly sessionLost?: true;
  readonly durationMs: number;
  /** Head of the final message, for people; the whole text is an artifact. */
  readonly finalText: string;
  readonly claim: 'done' | 'failed' | null;
  readonly summary: string | null;
  readonly nextModel: string | null;
  /** Why what judges the work had to change, in its own words; absent: it says nothing of the kind. */
  readonly judgeChanged?: string;
  /** What its final message leaves for memory; absent: nothing. */
  readonly notes?: AgentNotes;
};

export type ReceivedMessage = {
  readonly id: string;
  readonly kind: MessageKind;
  /** A loop, or `user`. */
  readonly from: string;
  /** The head of a long one. */
  readonly text: string;
  /** How long it is, when this is the head alone: all of it stays in the store. */
  readonly chars?: number;
};

/** The facts of a loop, in the order they happened. Past tense; appended, never changed. */
export type LoopEvent =
  | {
      readonly type: 'loop.created';
      readonly loopId: string;
      readonly taskId: string;
      readonly title: string;
      readonly loopType: string;
      readonly agent: string;
      readonly settings: Settings;
      /** What was given on the command line: it outlasts the process that was given it. */
      readonly flags: Flags;
      readonly prompt: PromptRecord;
      readonly options: LoopOptions;
      readonly workspace: WorkspaceRecord;
      /** Attempts of this task in earlier loops. */
      readonly attemptsBefore: number;
      readonly consecutiveFailures: number;
    }
  | { readonly type: 'loop.started'; readonly sessionId: string; readonly host: string }
  | {
      readonly type: 'loop.resumed';
      readonly sessionId: string;
      readonly host: string;
      readonly why: string;
      /** Null: as before. */
      readonly settings: Settings | null;
      readonly flags: Flags | null;
      /**
       * Numbers of iterations that left files or commits and are not in the log: the store was put back from a copy, or has lost its
       * last changes. Absent ordinarily.
       */
      readonly unrecorded?: readonly number[];
    }
  | { readonly type: 'settings.reread'; readonly settings: Settings }
  | {
      readonly type: 'workspace.opened';
      readonly path: string;
      readonly head: string | null;
      readonly created: boolean;
      readonly repaired: readonly string[];
      readonly missing: readonly string[];
      /** What the last iteration, which was interrupted, had done to the files; absent when nothing was left to save. */
      readonly left?: FileChanges;
    }
  | {
      readonly type: 'workspace.set_up';
      readonly command: string;
      readonly exitCode: number | null;
      readonly durationMs: number;
      readonly output: string;
    }
  | { readonly type: 'baseline.started' }
  | {
      readonly type: 'baseline.recorded';
      readonly state: BaselineState;
      readonly report: VerificationReport | null;
      readonly reused: boolean;
      readonly feedback: string;
      readonly warning: string | null;
      /** Why a check could not run, and what to do about it; absent unless the base is broken. */
      readonly fault?: string;
      /** Looked at before the first iteration only. */
      readonly judges?: Judges;
    }
  /** A person accepts what the check `integrity` found; the same findings pass from then on. */
  | {
      readonly type: 'integrity.allowed';
      /** The last verdict without what is allowed from now on; absent: there is none to judge again. */
      readonly report?: VerificationReport;
      /** Keys of the violations. */
      readonly keys: readonly string[];
      readonly by: string;
      readonly reason: string | null;
    }
  | {
      readonly type: 'iteration.started';
      readonly number: number;
      readonly attempt: number;
      readonly startTree: string;
      readonly startHead: string | null;
      /** The review pass it is for, such as `2 of 5: correctness`. Absent: the type has none. */
      readonly pass?: string;
    }
  | { readonly type: 'model.chosen'; readonly model: string | null; readonly reason: string }
  | {
      readonly type: 'prompt.built';
      readonly hash: string;
      /** Of the system prompt that is sent beside it. Absent: it is part of the prompt. */
      readonly systemHash?: string;
      readonly chars: number;
      /** `attempt-N` and ids of learnings, in the order of the prompt. */
      readonly injected: readonly string[];
      /** Learnings left out on purpose, to measure what they are worth. Absent: none. */
      readonly withheld?: readonly string[];
      /** The agent's session that it continues; absent: a fresh one. */
      readonly resumes?: string;
      /** How many shares it tells, the oldest first. Absent: none. */
      readonly shared?: number;
      readonly warnings: readonly string[];
    }
  /** The agent's session was full: the next one is fresh and starts from a handoff document. */
  | {
      readonly type: 'session.rebooted';
      readonly percent: number;
      readonly text: string;
      readonly source: 'agent' | 'facts';
    }
  | {
      readonly type: 'hooks.ran';
      readonly when: 'pre' | 'post';
      readonly results: readonly HookResult[];
    }
  | {
      readonly type: 'agent.started';
      readonly process: RecordedProcess | null;
      readonly try: number;
      /** Hash of the artifact that says what was around the workspace before; absent in old records. */
      readonly surroundings?: string;
    }
  | { readonly type: 'agent.ended'; readonly record: AgentRecord }
  /** An agent was used for something beside the work itself, or for work whose end nobody saw. */
  | {
      readonly type: 'usage.added';
      readonly purpose: 'work' | 'summary' | 'judge';
      readonly tokens: Tokens | null;
      readonly costUsd: number | null;
      readonly costSource: CostSource | null;
      readonly models: readonly ModelUsage[];
    }
  | { readonly type: 'protected.restored'; readonly paths: readonly string[] }
  | {
      readonly type: 'snapshot.taken';
      readonly tree: string;
      readonly commit: string | null;
      readonly head: string | null;
      readonly changes: FileChanges;
      readonly repaired: readonly string[];
      /** Files that the commit could not hold, with the reason each; absent when it holds all. */
      readonly unstored?: readonly string[];
    }
  /** Something that is not the loop's changed during an iteration. Named, never put back by itself. */
  | {
      readonly type: 'surroundings.changed';
      /** The first few; all of them are in the artifact `surroundings.json`. */
      readonly names: readonly string[];
      readonly count: number;
    }
  /** The base branch was moved during an iteration and it was no person. Recorded before it is moved back. */
  | ({ readonly type: 'base.moved' } & BaseMoveRecord)
  | { readonly type: 'verification.started' }
  | {
      readonly type: 'verification.ended';
      readonly report: VerificationReport;
      /** Whether the judged files differ from the base; looked at only after a pass. */
      readonly differsFromBase: boolean;
    }
  | {
      readonly type: 'iteration.ended';
      readonly number: number;
      readonly status: IterationStatus;
      readonly outcome: AttemptOutcome;
      readonly counted: boolean;
      readonly durationMs: number;
      readonly progress: ProgressEntry | null;
      readonly why: string | null;
    }
  /** The checks ran once more, in a clean place and with the judge as on the base. */
  | { readonly type: 'confirmation.ended'; readonly confirmation: Confirmation }
  /** A person says yes to changes of what judges the work; the same changes pass from then on. */
  | {
      readonly type: 'judge.allowed';
      readonly hash: string;
      readonly paths: readonly string[];
      readonly by: string;
      readonly reason: string | null;
    }
  /** A person takes the work as it is, although its completion is unproven. */
  | { readonly type: 'proof.accepted'; readonly by: string; readonly reason: string | null }
  | { readonly type: 'gate.judged'; readonly result: GateResult }
  /** A person says yes to what the last iteration left. */
  | { readonly type: 'approval.given'; readonly by: string; readonly note: string }
  /** A person sends it back; the reason goes into the next prompt. */
  | { readonly type: 'approval.refused'; readonly by: string; readonly reason: string }
  /** The loop's mode asks before it goes on. Answered by one of the two above; silence after `until` is a yes. */
  | { readonly type: 'approval.asked'; readonly question: Question; readonly until: number | null }
  | {
      readonly type: 'mode.switched';
      readonly from: Settings['mode']['name'];
      readonly to: Settings['mode']['name'];
    }
  | { readonly type: 'decision.made'; readonly decision: Decision }
  | {
      readonly type: 'loop.waiting';
      readonly condition: WaitCondition;
      readonly until: number;
      readonly isReset?: true;
      readonly then: Step;
      readonly text: string;
    }
  | { readonly type: 'loop.woken' }
  | { readonly type: 'rebase.started'; readonly from: string; readonly onto: string }
  | { readonly type: 'rebase.ended'; readonly base: string; readonly head: string }
  | { readonly type: 'rebase.conflicted'; readonly onto: string; readonly files: readonly string[] }
  | { readonly type: 'rebase.aborted'; readonly why: string }
  | { readonly type: 'warning.raised'; readonly text: string }
  /** Read between two iterations; acknowledged in the same transaction. */
  | { readonly type: 'messages.received'; readonly messages: readonly ReceivedMessage[] }
  /** What earlier iterations did is told to no later one. */
  | { readonly type: 'progress.cleared' }
  | {
      readonly type: 'loop.rested';
      readonly status: RestStatus;
      readonly reason: RestReason;
      readonly text: string;
      /** What is in the way may be gone by itself: the next run tries the merge again. Absent: it needs a person. */
      readonly mayPass?: true;
    }
  /** Recorded before a branch of the user's is moved, so that other loops know whose move it is. */
  | {
      readonly type: 'merge.started';
      readonly into: string;
      readonly from: string;
      readonly to: string;
    }
  | { readonly type: 'loop.merged'; readonly into: string; readonly commit: string };

export type WorkspaceRecord = {
  readonly mode: 'worktree' | 'in-place';
  readonly path: string;
  readonly branch: string | null;
  readonly base: string | null;
  /** Branch the base came from; watched for movement and the target of a merge. */
  readonly baseRef: string | null;
};

export type BaseMoveRecord = {
  readonly branch: string;
  readonly from: string;
  readonly to: string;
  /** Where it is moved back to; null: it is left as it is, as nobody can say who moved it. */
  readonly back: string | null;
  readonly why: string;
};

export type WaitCondition =
  | 'rate_limit'
  | 'usage_limit'
  | 'outage'
  | 'retry'
  | 'backoff'
  | 'delay'
  | 'ci'
  | 'approval';

export type HookResult = {
  readonly hook: string;
  readonly exitCode: number | null;
  readonly durationMs: number;
  readonly output: string;
  /** Why nothing it may have said counts; absent: all is well. */
  readonly problem?: string;
  /** What it said; absent: nothing. */
  readonly answer?: {
    readonly action: 'continue' | 'skip' | 'stop';
    readonly reason: string;
    /** Of the prompt it gave. */
    readonly promptHash?: string;
  };
};

/** An event as it is stored and streamed. */
export type RecordedEvent = {
  readonly seq: number;
  /** UTC milliseconds. */
  readonly time: number;
  /** Monotonic milliseconds since the owner's previous event; for its first one what the owner before had not recorded. */
  readonly elapsedMs: number;
  readonly event: LoopEvent;
};
