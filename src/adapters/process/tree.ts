/**
 * All processes of one run: the leader's session, descendants of whatever was found, and processes that carry
 * the run's mark. A daemon that changed its session still carries the mark; one that cleared its
 * environment is still found while its parent lives.
 */
import { setImmediate } from 'node:timers/promises';
import { LoopwrightError } from '../../core/error.ts';
import type { Clock } from '../../ports/clock.ts';
import {
  environmentContains,
  isLiving,
  lastPid,
  listChildren,
  listPids,
  maxPid,
  readStat,
  type ProcessStat,
} from './proc.ts';

/** How long killed processes may take to vanish before the tree counts as unkillable. */
const killDeadlineMs = 10_000;
/** No machine starts processes faster than this. */
const startsPerMs = 10;
/** Processes looked at before other work gets its turn. */
const lookedAtOnce = 128;

export type ProcessTree = {
  /** Living processes of the run, the leader included, this process never. */
  find(): Promise<readonly ProcessStat[]>;
  /** To the whole group of each, so that nothing forks its way out in between. */
  signal(found: readonly ProcessStat[], name: 'SIGTERM' | 'SIGKILL'): void;
};

export type TreeRoot = {
  /** Pid of the session's leader; null when it is gone and its pid may be a stranger's. */
  readonly leader: number | null;
  readonly mark: string;
  /** Milliseconds since the leader was started; infinite when unknown. */
  ageMs(): number;
};

export function createProcessTree(root: TreeRoot): ProcessTree {
  const sessions = new Set(root.leader === null ? [] : [root.leader]);
  return {
    find: () => findProcesses(root, sessions),
    signal(found, name) {
      const targets = new Set(found.map((p) => (sessions.has(p.session) ? -p.group : p.pid)));
      for (const target of targets) sendSignal(target, name);
    },
  };
}

/**
 * All that runs in a namespace of process ids, its first process left out: that one leaves by itself when it is alone, and
 * to kill it is to kill all. Orphans are adopted by it, so whoever is in there descends from it.
 */
export function createNamespaceTree(first: number, ageMs: () => number): ProcessTree {
  return {
    find: async () => descend(first) ?? (await findDescendants(first, ageMs)),
    signal(found, name) {
      if (name === 'SIGKILL') sendSignal(first, name);
      else for (const { pid } of found) sendSignal(pid, name);
    },
  };
}

/** From parent to child, so that a machine full of other processes costs nothing; null where the kernel cannot tell. */
function descend(first: number): readonly ProcessStat[] | null {
  const pids = new Set([first]);
  for (const pid of pids) {
    const children = listChildren(pid);
    if (children === null) return null;
    for (const child of children) pids.add(child);
  }
  pids.delete(first);
  return [...pids].flatMap((pid) => {
    const stat = readStat(pid);
    return stat !== null && isLiving(stat) ? [stat] : [];
  });
}

async function findDescendants(
  first: number,
  ageMs: () => number,
): Promise<readonly ProcessStat[]> {
  const stats = await readStats(candidatePids({ leader: first, ageMs }));
  const found = new Map<number, ProcessStat>();
  let before = -1;
  while (found.size !== before) {
    before = found.size;
    for (const [pid, stat] of stats) {
      if (stat.parent === first || found.has(stat.parent)) found.set(pid, stat);
    }
  }
  return [...found.values()];
}

/** Where there is no `/proc`: the leader's process group is all that can be found. */
export function createGroupTree(leader: number): ProcessTree {
  const stat = {
    pid: leader,
    state: '?',
    parent: 0,
    group: leader,
    session: leader,
    startTime: '',
    cpuTicks: 0,
  };
  return {
    find: () => Promise.resolve(sendSignal(-leader, 0) ? [stat] : []),
    signal: (_found, name) => void sendSignal(-leader, name),
  };
}

/**
 * TERM to all, KILL to what is left after `graceMs`, until two looks in a row find nothing: one born between
 * them is seen by the second. Returns how many processes the first look found.
 */
export async function endTree(tree: ProcessTree, graceMs: number, clock: Clock): Promise<number> {
  let found = await tree.find();
  const count = found.length;
  if (count > 0) {
    tree.signal(found, 'SIGTERM');
    await waitUntilGone(tree, found, graceMs, clock);
  }
  const deadline = clock.monotonic() + killDeadlineMs;
  let emptyLooks = count === 0 ? 1 : 0;
  while (emptyLooks < 2) {
    found = await tree.find();
    if (found.length === 0) {
      emptyLooks += 1;
      continue;
    }
    emptyLooks = 0;
    if (clock.monotonic() > deadline) throw unkillable(found);
    tree.signal(found, 'SIGKILL');
    await waitUntilGone(tree, found, 100, clock);
  }
  return count;
}

async function findProcesses(
  root: TreeRoot,
  sessions: Set<number>,
): Promise<readonly ProcessStat[]> {
  const found = new Map<number, ProcessStat>();
  const stats = await readStats(candidatePids(root), (stat) => {
    if (environmentContains(stat.pid, root.mark)) found.set(stat.pid, stat);
  });
  addRelated(stats, found, sessions);
  return [...found.values()];
}

/** The living ones among these, this process never. */
async function readStats(
  pids: readonly number[],
  each: (stat: ProcessStat) => void = () => undefined,
): Promise<ReadonlyMap<number, ProcessStat>> {
  const stats = new Map<number, ProcessStat>();
  let looked = 0;
  for (const pid of pids) {
    const stat = pid === process.pid ? null : readStat(pid);
    if (stat !== null && isLiving(stat)) {
      stats.set(pid, stat);
      each(stat);
    }
    looked += 1;
    if (looked % lookedAtOnce === 0) await setImmediate();
  }
  return stats;
}

/** Adds descendants and members of the same sessions until nothing new turns up. */
function addRelated(
  stats: ReadonlyMap<number, ProcessStat>,
  found: Map<number, ProcessStat>,
  sessions: Set<number>,
): void {
  let before = -1;
  while (found.size !== before) {
    before = found.size;
    for (const { session } of found.values()) {
      // A living session leader that is not ours means a session somebody else owns.
      if (found.has(session) || !stats.has(session)) sessions.add(session);
    }
    for (const [pid, stat] of stats) {
      if (found.has(stat.parent) || sessions.has(stat.session)) found.set(pid, stat);
    }
  }
}

/**
 * Pids count up and start over at the maximum, so all processes of a young run lie between its leader and the
 * pid given out last. An old run may have seen them start over: then every process is looked at.
 */
function candidatePids(root: Pick<TreeRoot, 'leader' | 'ageMs'>): readonly number[] {
  const last = lastPid();
  const max = maxPid();
  const isYoung = max !== null && root.ageMs() * startsPerMs < max / 2;
  if (root.leader === null || !isYoung || last === null || last < root.leader) return listPids();
  const { leader } = root;
  if (last - leader > 256) return listPids().filter((pid) => pid >= leader && pid <= last);
  return Array.from({ length: last - leader + 1 }, (_, offset) => leader + offset);
}

async function waitUntilGone(
  tree: ProcessTree,
  found: readonly ProcessStat[],
  limitMs: number,
  clock: Clock,
): Promise<void> {
  const deadline = clock.monotonic() + limitMs;
  const never = new AbortController().signal;
  let pauseMs = 1;
  for (;;) {
    const left = found.some(isSameLiving) || (await hasGroupOnly(tree, found));
    const leftMs = deadline - clock.monotonic();
    if (!left || leftMs <= 0) return;
    await clock.sleep(Math.min(pauseMs, leftMs), never);
    pauseMs = Math.min(pauseMs * 2, 50);
  }
}

function isSameLiving({ pid, startTime }: ProcessStat): boolean {
  const stat = startTime === '' ? null : readStat(pid);
  return stat !== null && isLiving(stat) && stat.startTime === startTime;
}

/** Without `/proc` nothing but the group itself can be asked. */
async function hasGroupOnly(tree: ProcessTree, found: readonly ProcessStat[]): Promise<boolean> {
  return found.some(({ startTime }) => startTime === '') && (await tree.find()).length > 0;
}

/** False when there is nobody left to get it. */
export function sendSignal(target: number, name: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  try {
    return process.kill(target, name);
  } catch (error) {
    if (error instanceof Error && 'code' in error) {
      if (error.code === 'ESRCH') return false;
      // Not ours to signal, or (macOS) a group of zombies.
      if (error.code === 'EPERM') return false;
    }
    throw error;
  }
}

export function unkillable(found: readonly { readonly pid: number }[]): LoopwrightError {
  const pids = found.map(({ pid }) => pid);
  return new LoopwrightError(
    'process.unkillable',
    `${pids.length} processes of the run do not end even when killed: ${pids.slice(0, 10).join(', ')}.`,
    { hint: 'Look at them with `ps -o pid,stat,wchan,cmd -p PID`.', details: { pids } },
  );
}
