import type { Clock } from '../../ports/clock.ts';
import type { ProcessIdentity } from '../../ports/process.ts';
import { createCgroupTree, removeCgroup } from './cgroup.ts';
import { isNamespace } from './containment.ts';
import { isAlive, markOf } from './identity.ts';
import { outerMarks } from './mark.ts';
import {
  createGroupTree,
  createNamespaceTree,
  createProcessTree,
  endTree,
  sendSignal,
  unkillable,
} from './tree.ts';

const killDeadlineMs = 10_000;

/** See the port. Never touches `self` or a stranger that got the pid. */
export async function endLeftover(
  self: ProcessIdentity,
  identity: ProcessIdentity,
  graceMs: number,
  clock: Clock,
): Promise<boolean> {
  if (identity.host !== self.host || identity.bootId !== self.bootId) return false;
  if (identity.pid === self.pid && identity.startTime === self.startTime) return false;
  // This process descends from that one's programs itself.
  if (outerMarks().split(':').includes(markOf(identity))) return false;
  if (isNamespace(identity.containment)) return endNamespace(identity, graceMs, clock);
  const isLeaderAlive = isAlive(identity);
  if (identity.startTime === null) {
    return isLeaderAlive && (await endTree(createGroupTree(identity.pid), graceMs, clock)) > 0;
  }
  const leader = isLeaderAlive ? identity.pid : null;
  const tree = createProcessTree({ leader, mark: markOf(identity), ageMs: () => Infinity });
  const { cgroup } = identity;
  if (cgroup === undefined) return (await endTree(tree, graceMs, clock)) > 0;
  const count = await endTree(createCgroupTree(cgroup, tree), graceMs, clock);
  removeCgroup(cgroup);
  return count > 0;
}

/** A namespace whose first process is gone is empty: there is nothing to search for. */
async function endNamespace(
  identity: ProcessIdentity,
  graceMs: number,
  clock: Clock,
): Promise<boolean> {
  if (!isAlive(identity)) return false;
  await endTree(
    createNamespaceTree(identity.pid, () => Infinity),
    graceMs,
    clock,
  );
  await killNamespace(identity, clock);
  return true;
}

/** Kills the first process, if it is still that one, and waits until the kernel has ended all the others. */
export async function killNamespace(identity: ProcessIdentity, clock: Clock): Promise<void> {
  const deadline = clock.monotonic() + killDeadlineMs;
  const never = new AbortController().signal;
  for (let pauseMs = 1; isAlive(identity); pauseMs = Math.min(pauseMs * 2, 50)) {
    if (clock.monotonic() > deadline) throw unkillable([identity]);
    sendSignal(identity.pid, 'SIGKILL');
    await clock.sleep(pauseMs, never);
  }
}
