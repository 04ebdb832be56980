import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import type { ProcessIdentity } from '../../ports/process.ts';
import { gateName } from './gate-script.ts';
import { isLiving, pidNamespace, readBootId, readCommand, readStat } from './proc.ts';

/** Names a process for good: its pid alone is given to another one sooner or later. */
export function identify(pid: number): ProcessIdentity {
  return {
    pid,
    startTime: readStat(pid)?.startTime ?? null,
    ...thisMachine(),
  };
}

type Machine = Pick<ProcessIdentity, 'bootId' | 'host'>;

/** Looked at once: neither changes while this process lives. */
let machine: Machine | null = null;

function thisMachine(): Machine {
  machine ??= { bootId: readBootId(), host: hostName() };
  return machine;
}

/**
 * The machine, or the part of it whose process ids mean something here. An engine that runs inside a run of another one counts
 * processes from 1: to the outer one it is as good as on another machine.
 */
function hostName(): string {
  return readCommand(1)?.includes(gateName) === true
    ? `${hostname()}/${pidNamespace()}`
    : hostname();
}

/** Whether that very process runs. Zombies and strangers with the same pid do not count; another host's processes do. */
export function isAlive(identity: ProcessIdentity): boolean {
  const { host, bootId } = thisMachine();
  if (identity.host !== host) return true;
  if (identity.bootId !== bootId) return false;
  if (identity.startTime === null) return answersSignals(identity.pid);
  const stat = readStat(identity.pid);
  return stat !== null && isLiving(stat) && stat.startTime === identity.startTime;
}

/**
 * The mark that everything started by this process carries in its environment. Made from the identity
 * alone, so that whoever knows who it was can still find what it left behind.
 */
export function markOf(identity: ProcessIdentity): string {
  const { host, bootId, pid, startTime } = identity;
  const digest = createHash('sha256').update(JSON.stringify([host, bootId, pid, startTime]));
  return digest.digest('hex').slice(0, 24);
}

/** Whether some process has this pid now: enough for whoever only tidies up. */
export function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
