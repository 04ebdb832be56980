import { local, names, readers, type TracedCommand } from './git-trace.ts';
import type { OwnMove } from './surroundings.ts';

/** One line of git's own record of a ref. */
export type LoggedMove = {
  readonly from: string;
  readonly to: string;
  /** UTC seconds. */
  readonly time: number;
  readonly message: string;
};

/** A branch and what git has recorded of its moves. */
export type BranchLog = {
  /** Oldest first; null: nothing is recorded of this branch. */
  readonly moves: readonly LoggedMove[] | null;
  /** What HEAD did in the checkouts of the user's that show the branch; null: none shows it. */
  readonly shown: readonly LoggedMove[] | null;
  /** What HEAD did in the worktrees of loops. */
  readonly inLoops: readonly LoggedMove[];
};

export type BaseMoveInput = {
  /** Full name of the ref. */
  readonly ref: string;
  readonly before: string;
  readonly after: string;
  readonly log: BranchLog;
  /** Whether git kept a record of this branch before the agent started. */
  readonly wasLogged: boolean;
  /** What the agent's git did; null: nobody can say, as the trace of it is gone. */
  readonly commands: readonly TracedCommand[] | null;
  /** The loop's own worktree. */
  readonly worktree: string;
  readonly own: readonly OwnMove[];
};

export type BaseVerdict =
  | { readonly by: 'person' }
  /** The agent's own git did it, and nobody has moved it since; `back` is where it belongs. */
  | { readonly by: 'agent'; readonly back: string }
  | { readonly by: 'unknown'; readonly why: string };

/**
 * Who moved a base branch while an agent worked. Every step from the one commit to the other must be in git's own record. One that
 * fits a command of the agent's, in time and in kind, is the agent's; one that fits no command is a person's. Whatever is
 * neither is told as unknown: nothing is moved back on a guess.
 */
export function judgeBaseMove(input: BaseMoveInput): BaseVerdict {
  const { before, log, ref, commands, own } = input;
  // A repository without such records says nothing about anybody.
  if (log.moves === null && !input.wasLogged) return { by: 'person' };
  const steps = stepsBetween(input);
  if (steps === null) {
    return { by: 'unknown', why: 'git has no record of how it came there' };
  }
  if (commands === null) {
    return { by: 'unknown', why: "the record of the agent's git commands is gone" };
  }
  const used = new Set<TracedCommand>();
  let good = before;
  let doubt: string | null = null;
  let isAgents = false;
  for (const step of steps) {
    if (step.to === good) {
      // Somebody has put it back.
      [doubt, isAgents] = [null, false];
      continue;
    }
    const isOwn = own.some(
      ({ into, from, to }) => `refs/heads/${into}` === ref && from === step.from && to === step.to,
    );
    const by = isOwn ? 'person' : moverOf(step, input, commands, used);
    if (by === 'agent') isAgents = true;
    else if (by === 'unknown') doubt ??= unclear(step, log);
    else if (isAgents) doubt ??= 'somebody has moved it on since the agent moved it';
    else if (doubt === null) good = step.to;
  }
  if (doubt !== null) return { by: 'unknown', why: doubt };
  return isAgents ? { by: 'agent', back: good } : { by: 'person' };
}

/** The recorded moves from the one commit to the other; null when they do not lead there. */
function stepsBetween({ before, after, log }: BaseMoveInput): readonly LoggedMove[] | null {
  const moves = log.moves ?? [];
  const last = moves.findLastIndex(({ to }) => to === before);
  const first = last === -1 ? moves.findLastIndex(({ from }) => from === before) : last + 1;
  const steps = first === -1 ? [] : moves.slice(first);
  let at = before;
  for (const { from, to } of steps) {
    if (from !== at) return null;
    at = to;
  }
  return at === after ? steps : null;
}

function moverOf(
  step: LoggedMove,
  input: BaseMoveInput,
  commands: readonly TracedCommand[],
  used: Set<TracedCommand>,
): 'agent' | 'person' | 'unknown' {
  let isPossible = false;
  for (const command of commands) {
    const fit = fitOf(step, command, input);
    if (fit === 'no') continue;
    // One command moves a branch once: what is left over is somebody else's.
    if (fit === 'exact' && !used.has(command)) {
      used.add(command);
      return 'agent';
    }
    isPossible = true;
  }
  if (isPossible) return 'unknown';
  return isShown(step, input.log) ? 'person' : 'unknown';
}

/**
 * Whoever commits, merges or resets in a checkout moves its HEAD along, and git records both. A branch that is shown and moved
 * without it was moved from elsewhere; unless it was shown only afterwards.
 */
function isShown(step: LoggedMove, { shown }: BranchLog): boolean {
  if (shown === null) return true;
  return shown.some(
    ({ from, to, time, message }) =>
      (from === step.from && to === step.to) ||
      (message.startsWith('checkout: moving') && time >= step.time),
  );
}

function unclear(step: LoggedMove, log: BranchLog): string {
  return isShown(step, log)
    ? 'a git command of the agent ran at the same moment'
    : 'it was moved from outside of the checkout that shows it';
}

type Fit = 'exact' | 'possible' | 'no';

/** Whether a command of the agent's made this step. */
function fitOf(step: LoggedMove, command: TracedCommand, input: BaseMoveInput): Fit {
  const { name, worktree, exitCode } = command;
  if (readers.has(name) || !isDuring(step, command)) return 'no';
  const isTimed = command.startedAt !== undefined && command.endedAt !== undefined;
  const isExact = isTimed && exitCode === 0 && isOfKind(step, command);
  const certain: Fit = isExact ? 'exact' : 'possible';
  if (worktree !== null && worktree !== input.worktree) return certain;
  const { inLoops } = input.log;
  if (inLoops.some(({ from, to }) => from === step.from && to === step.to)) return certain;
  if (!local.has(name)) return names(command, input.ref) ? certain : 'no';
  // It says that it worked, and left no trace in its own place: so it was elsewhere.
  const isAccounted = inLoops.some((move) => isDuring(move, command));
  return isExact && !isAccounted ? 'possible' : 'no';
}

/** The clocks of records tick in seconds. */
function isDuring({ time }: LoggedMove, { startedAt, endedAt }: TracedCommand): boolean {
  const [from, to] = [startedAt ?? Number.NEGATIVE_INFINITY, endedAt ?? Number.POSITIVE_INFINITY];
  return time * 1000 + 1000 + tickMs > from && time * 1000 <= to;
}

/** A clock of seconds may be this late. */
const tickMs = 50;

/** Which commands leave a record that begins with a word. */
const makers: Readonly<Record<string, readonly string[]>> = {
  am: ['am'],
  branch: ['branch', 'checkout', 'switch', 'worktree'],
  'cherry-pick': ['cherry-pick'],
  commit: ['commit'],
  fetch: ['fetch', 'pull'],
  merge: ['merge', 'pull'],
  pull: ['pull', 'merge', 'rebase'],
  push: ['push', 'receive-pack', 'send-pack'],
  rebase: ['rebase', 'pull'],
  reset: ['reset'],
  revert: ['revert'],
};

/** Commands that are told what to record. */
const free: ReadonlySet<string> = new Set(['update-ref', 'fast-import', 'filter-branch']);

function isOfKind({ message }: LoggedMove, { name }: TracedCommand): boolean {
  if (free.has(name)) return true;
  const [word = ''] = message.split(/[\s:(]/, 1);
  return makers[word]?.includes(name) ?? false;
}
