/** The end of a run: TERM, grace, KILL, and certainty that nothing is left. */
import type { Clock } from '../../ports/clock.ts';
import type { ProcessIdentity } from '../../ports/process.ts';
import { notNeeded } from './awake-sleep.ts';
import { createCgroupTree, removeCgroup } from './cgroup.ts';
import { isNamespace } from './containment.ts';
import type { GatedProcess } from './gate.ts';
import { killNamespace } from './leftover.ts';
import {
  createGroupTree,
  createNamespaceTree,
  createProcessTree,
  endTree,
  type ProcessTree,
} from './tree.ts';

/** What background processes get to tidy up, at most, when their leader has ended by itself. */
const leftoverGraceMs = 1000;
/** What the keeper of an empty namespace gets to leave. */
const dismissedMs = 2000;

/** `isCut`: the program is ended from outside, and may still run. */
export type Ending = { readonly graceMs: number; readonly isCut: boolean };

/**
 * Settles when nothing of the run is left. That the first process of a namespace is gone is the proof; that it has said to be
 * alone is none, since a program inside can say so in its place. Its keeper takes the kernel some milliseconds longer to bury;
 * `left` tells when it is gone.
 */
export async function endRun(
  gated: GatedProcess,
  identity: ProcessIdentity,
  tree: ProcessTree,
  { graceMs, isCut }: Ending,
  clock: Clock,
): Promise<{ readonly left: Promise<void> }> {
  const isEmpty = !isCut && (await gated.ended).isAlone;
  try {
    if (!isEmpty) {
      await endTree(tree, isCut ? graceMs : Math.min(graceMs, leftoverGraceMs), clock);
    }
    if (gated.cgroup !== null) removeCgroup(gated.cgroup);
    const left = leave(gated, identity, clock);
    // Whoever waits for it hears of a failure; nobody may be left to, after one of our own.
    left.catch(() => undefined);
    await (isEmpty ? killNamespace(identity, clock) : left);
    return { left };
  } catch (error) {
    gated.abandon();
    throw error;
  }
}

async function leave(gated: GatedProcess, identity: ProcessIdentity, clock: Clock): Promise<void> {
  if (isNamespace(gated.mode)) await closeNamespace(gated, identity, clock);
  await gated.gone;
}

/** Its first process leaves when it is told to, or is killed; once it is gone the kernel has ended all the others. */
async function closeNamespace(
  gated: GatedProcess,
  identity: ProcessIdentity,
  clock: Clock,
): Promise<void> {
  gated.dismiss();
  const over = new AbortController();
  const tooLate = clock.sleep(dismissedMs, over.signal).then(
    () => gated.kill(),
    () => undefined,
  );
  await Promise.race([gated.gone, tooLate]);
  over.abort(notNeeded);
  await tooLate;
  await killNamespace(identity, clock);
}

export function createRunTree(
  identity: ProcessIdentity,
  mark: string,
  ageMs: () => number,
): ProcessTree {
  if (isNamespace(identity.containment)) return createNamespaceTree(identity.pid, ageMs);
  if (identity.startTime === null) return createGroupTree(identity.pid);
  const tree = createProcessTree({ leader: identity.pid, mark, ageMs });
  return identity.cgroup === undefined ? tree : createCgroupTree(identity.cgroup, tree);
}
