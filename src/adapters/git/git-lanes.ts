import { availableParallelism } from 'node:os';
import { GitLane, type LaneCommand, type LaneResult } from './git-lane.ts';
import { Turns } from './git-turns.ts';
import { afterIdle } from '../clock/timer.ts';

type Environment = Readonly<Record<string, string>>;

/** Most commands are over in milliseconds: more at once than this only slow each other down. */
const turns = new Turns(2 * Math.max(2, availableParallelism()));

/** A lane that nobody has used for so long ends. */
const idleMs = 2_000;

/** A shell that is killed while it waits is noticed when the next command is not taken. */
const tries = 3;

/** Idle lanes by their environment, written out. */
const idle = new Map<string, GitLane[]>();
/** Environments are built once and used for many commands. */
const keys = new WeakMap<Environment, string>();

/** Runs a command in a lane with exactly this environment. Null when no shell would take it; nothing has run then. */
export async function runInLane(
  env: Environment,
  command: LaneCommand,
  stop: AbortSignal,
): Promise<LaneResult | null> {
  const key = keyOf(env);
  using _turn = await turns.take(stop);
  for (let attempt = 1; attempt <= tries; attempt++) {
    const lane = takeIdle(key) ?? new GitLane(env);
    const result = await lane.run(command, stop);
    if (!lane.isGone) putIdle(key, lane);
    if (result !== null) return result;
    stop.throwIfAborted();
  }
  return null;
}

function keyOf(env: Environment): string {
  const known = keys.get(env) ?? JSON.stringify(env);
  keys.set(env, known);
  return known;
}

function takeIdle(key: string): GitLane | null {
  const lanes = idle.get(key) ?? [];
  for (let lane = lanes.pop(); lane !== undefined; lane = lanes.pop()) {
    if (!lane.isGone) return lane;
  }
  idle.delete(key);
  return null;
}

function putIdle(key: string, lane: GitLane): void {
  const lanes = idle.get(key) ?? [];
  lanes.push(lane);
  idle.set(key, lanes);
  const uses = lane.uses;
  afterIdle(idleMs, () => {
    if (lane.uses !== uses) return;
    lane.end();
    const left = lanes.filter((each) => each !== lane);
    lanes.splice(0, lanes.length, ...left);
    if (left.length === 0 && idle.get(key) === lanes) idle.delete(key);
  });
}
