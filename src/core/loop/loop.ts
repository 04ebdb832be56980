import { addTokens, type Tokens } from '../agent/outcome.ts';
import type { Settings } from '../config/schema.ts';
import type { ProgressEntry } from '../progress/entry.ts';
import type { Confirmation } from '../verdict/confirmation.ts';
import type { Approval, GateResult } from '../verdict/gate.ts';
import type { VerificationReport } from '../verdict/report.ts';
import { changedPaths, type FileChanges } from './changes.ts';
import type {
  AgentRecord,
  BaseMoveRecord,
  BaselineState,
  Flags,
  LoopOptions,
  PromptRecord,
  RecordedProcess,
  WaitCondition,
  WorkspaceRecord,
} from './event.ts';
import type { AgentSession } from './agent-session.ts';
import type { Asked, Consent } from './consent.ts';
import type { Decision } from './judge.ts';
import type { Acceptance, Judges } from './judges.ts';
import type { OwnMove } from './surroundings.ts';
import type { AttemptOutcome, IterationStatus, LoopStatus } from './status.ts';
import type { Step } from './step.ts';
import { addUsage, type PurposeUsage } from './usage.ts';

/** One fresh agent run and one verification, as folded from its events. */
export type Iteration = {
  readonly number: number;
  readonly attempt: number;
  readonly status: IterationStatus;
  /** What the status is after the hooks that run now; absent: none do. */
  readonly statusAfterHooks?: IterationStatus;
  readonly outcome: AttemptOutcome | null;
  /** Whether it counts against `max-iterations`. */
  readonly counted: boolean;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly durationMs: number | null;
  readonly startTree: string;
  readonly startHead: string | null;
  /** The review pass it is for; absent: the type has none. */
  readonly pass?: string;
  readonly model: string | null;
  readonly modelReason: string | null;
  readonly promptHash: string | null;
  /** Of the system prompt beside the prompt; absent: there is none. */
  readonly systemHash?: string;
  readonly injected: readonly string[];
  /** Learnings left out on purpose; absent when there are none. */
  readonly withheld?: readonly string[];
  /** The agent's session that it goes on with; absent or null: a fresh one. */
  readonly resumes?: string | null;
  /** How many shares its prompt tells; absent: none. */
  readonly toldShares?: number;
  readonly process: RecordedProcess | null;
  /** How often the agent was started in this iteration. */
  readonly tries: number;
  /** How many of those ended in an API error, and how many hung: each has retries of its own. */
  readonly apiErrors: number;
  readonly hangs: number;
  readonly agent: AgentRecord | null;
  /** Known cost and tokens over all tries and what came with them; null when nothing is known. */
  readonly costUsd: number | null;
  readonly tokens: Tokens | null;
  /** Tokens were used for which nobody knows a price: the cost is more than `costUsd`. */
  readonly unpriced?: true;
  /** Which model was used for what; absent when no agent said so. */
  readonly usage?: readonly PurposeUsage[];
  readonly restored: readonly string[];
  readonly tree: string | null;
  readonly commit: string | null;
  readonly changes: FileChanges | null;
  /** Files that were there for the checks and are in no commit; absent when there are none. */
  readonly unstored?: readonly string[];
  /** Whether the loop's files differ from its base; false while nothing was verified. */
  readonly differsFromBase: boolean;
  readonly report: VerificationReport | null;
  /** Hash of the artifact with what was around the workspace before its agent started; absent: not looked at. */
  readonly surroundings?: string;
  /** What changed around the workspace meanwhile; absent when nothing did. */
  readonly tampered?: { readonly names: readonly string[]; readonly count: number };
  /** The base branch was moved meanwhile, by the agent or by nobody knows whom; absent ordinarily. */
  readonly baseMove?: BaseMoveRecord;
  /** What the run in a clean place said; absent: there was none. */
  readonly confirmation?: Confirmation;
  /** Results of its gates so far; absent when none was looked at. */
  readonly gates?: readonly GateResult[];
  readonly approvals?: readonly Approval[];
  /** Who sent the work back, and why; absent when nobody did. */
  readonly refusal?: { readonly by: string; readonly reason: string };
  /** When the forge was first found still at work on it. */
  readonly ciSince?: number;
  readonly decision: Decision | null;
  readonly why: string | null;
  /** Only its number is known: what was recorded of it is lost. Absent ordinarily. */
  readonly unrecorded?: true;
};

export type Baseline = {
  readonly state: BaselineState;
  /** Why a check could not run, and what to do about it; absent unless the base is broken. */
  readonly fault?: string;
  readonly report: VerificationReport | null;
};

/** A loop as folded from its events: everything `decide` needs, and nothing that lives outside the log. */
export type Loop = {
  readonly id: string;
  readonly taskId: string;
  readonly title: string;
  readonly loopType: string;
  readonly agent: string;
  readonly status: LoopStatus;
  readonly reason: string | null;
  /** The reason in words. */
  readonly text: string | null;
  readonly settings: Settings;
  readonly flags: Flags;
  readonly prompt: PromptRecord;
  readonly options: LoopOptions;
  readonly workspace: WorkspaceRecord;
  readonly head: string | null;
  /** More happened to its files than is recorded, and nobody has looked at them since. Absent ordinarily. */
  readonly behind?: true;
  /** The owner of this run has the workspace open. */
  readonly opened: boolean;
  /** `workspace.setup` ran well in the worktree as it is now. */
  readonly setUp: boolean;
  readonly baseline: Baseline | null;
  /** Absent until the base was looked at. */
  readonly judges?: Judges;
  /** Keys of violations that a person allowed; absent when there are none. */
  readonly allowedViolations?: readonly string[];
  /** Who allowed them, and why; absent when nobody did. */
  readonly acceptances?: readonly Acceptance[];
  /** Changes to what judges the work that people allowed; absent when there are none. */
  readonly judgeApprovals?: readonly JudgeApproval[];
  /** Who took the work although its completion is unproven; absent when nobody did. */
  readonly proofAccepted?: { readonly by: string; readonly reason: string | null };
  readonly step: Step;
  readonly iterations: readonly Iteration[];
  readonly attemptsBefore: number;
  readonly consecutiveFailures: number;
  /** Iterations in a row that ended in an agent error with nothing to verify. */
  readonly errorStreak: number;
  readonly progress: readonly ProgressEntry[];
  /** Goes into the next prompt, once. */
  readonly feedback: string;
  /** What other loops shared and no prompt has told; absent when nothing is. Told once. */
  readonly shared?: readonly SharedText[];
  /** The agent's own session; absent unless sessions are reused. */
  readonly agentSession?: AgentSession;
  /** When sessions were left behind as their context was full. Absent: never. */
  readonly reboots?: readonly number[];
  /** What the last of them left to the next; absent or empty: nothing. Goes into the next prompt, once. */
  readonly handoff?: string;
  /** A hook after an iteration wants the loop to stop, in its words; absent: none does. */
  readonly stopWish?: string;
  /** What the loop's mode asks a person; absent when nothing is open. */
  readonly asked?: Asked;
  /** What people said yes to; absent before the first answer. */
  readonly consent?: Consent;
  readonly wait: Wait | null;
  /** Number of the last iteration before the newest resume: decisions up to it are history. */
  readonly resumedAfter: number;
  /** Its merge was refused for something that may be gone by now; absent otherwise. */
  readonly mayPass?: true;
  readonly rebaseOnto: string | null;
  /** Monotonic working time of all owners together. */
  readonly activeMs: number;
  readonly sessionId: string | null;
  readonly host: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly endedAt: number | null;
  readonly mergedInto: string | null;
  /** The newest merge that was begun; absent when there was none. */
  readonly merging?: OwnMove;
  readonly warnings: readonly string[];
  readonly seq: number;
};

export type SharedText = {
  readonly from: string;
  readonly text: string;
  /** The message that has all of it, when this is the head alone. */
  readonly messageId?: string;
};

export type JudgeApproval = {
  readonly hash: string;
  readonly paths: readonly string[];
  readonly by: string;
  readonly reason: string | null;
};

export type Wait = {
  readonly condition: WaitCondition;
  readonly until: number;
  /** It ends at a time of day that a provider has named, by the wall clock; absent: it lasts for a while. */
  readonly isReset?: true;
  readonly then: Step;
  readonly text: string;
};

/** The iteration that is under way; null at the boundary. */
export function openIteration(loop: Loop): Iteration | null {
  const last = loop.iterations.at(-1);
  return last && last.endedAt === null ? last : null;
}

export function lastIteration(loop: Loop): Iteration | null {
  return loop.iterations.at(-1) ?? null;
}

/** Those that were not left out by a hook: nothing was tried in one that was. */
export function ranIterations({ iterations }: Loop): readonly Iteration[] {
  return iterations.filter(({ status }) => status !== 'skipped');
}

/** Which attempt at its task the next iteration is. One that a hook left out uses no number. */
export function nextAttempt(loop: Loop): number {
  return Math.max(loop.attemptsBefore, ...ranIterations(loop).map(({ attempt }) => attempt)) + 1;
}

/** How many iterations count against the cap. */
export function countedIterations(loop: Loop): number {
  return loop.iterations.filter((iteration) => iteration.counted).length;
}

export function isCapReached(loop: Loop): boolean {
  const cap = loop.settings.limits['max-iterations'];
  return cap > 0 && countedIterations(loop) >= cap;
}

/** Whether anybody asks what the agent did to the files. The bare loop (`--no-verify --no-commit --keep-going`) does not. */
export function looksAtFiles({ options }: Loop): boolean {
  return options.commit || options.verify || !options.keepGoing;
}

/**
 * The iteration whose agent was interrupted before its files became a snapshot; null when there is none, or when its work
 * was saved since (`workspace.opened` says what it had changed). Saving it twice would compare with a start from before a
 * rebase, and undo what people committed to the base meanwhile.
 */
export function leftWork(loop: Loop): Iteration | null {
  const last = lastIteration(loop);
  if (last === null || last.outcome !== 'interrupted' || last.tries === 0) return null;
  const isSaved = last.tree !== null || last.changes !== null;
  return isSaved || !looksAtFiles(loop) ? null : last;
}

/** Known cost so far; null when no iteration has any. Less than the whole while `isPartlyUnpriced`. */
export function knownCost(loop: Loop): number | null {
  const costs = loop.iterations.flatMap((iteration) => iteration.costUsd ?? []);
  return costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0);
}

/** Whether something was used that nobody knows the price of. */
export function isPartlyUnpriced(loop: Loop): boolean {
  return loop.iterations.some(({ unpriced }) => unpriced === true);
}

/** Cost so far; null when it is not known, or not all of it. */
export function loopCost(loop: Loop): number | null {
  return isPartlyUnpriced(loop) ? null : knownCost(loop);
}

/** What was used so far, by purpose and model, in the order of first use. */
export function loopUsage(loop: Loop): readonly PurposeUsage[] {
  return loop.iterations.reduce<readonly PurposeUsage[]>(
    (all, { usage = [] }) => addUsage(all, usage),
    [],
  );
}

export function loopTokens(loop: Loop): Tokens | null {
  return loop.iterations.reduce<Tokens | null>(
    (sum, iteration) => addTokens(sum, iteration.tokens),
    null,
  );
}

/** Every file any iteration changed, whether or not the change lasted. */
export function filesTouched(loop: Loop): readonly string[] {
  const paths = loop.iterations.flatMap(({ changes }) =>
    changes === null ? [] : changedPaths(changes),
  );
  return [...new Set(paths)].toSorted();
}
