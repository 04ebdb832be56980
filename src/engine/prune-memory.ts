import type { Settings } from '../core/config/schema.ts';
import { isResting } from '../core/loop/status.ts';
import type { StoreTx } from '../ports/store.ts';
import type { Engine } from './engine.ts';

/** What is, or would be, given up. */
export type Pruned = {
  /** Attempts of finished tasks, with their failure reports. */
  readonly attempts: number;
  readonly metrics: number;
  /** Ids; they are kept, but no longer injected. */
  readonly learnings: readonly string[];
  /** Loops whose files are removed. */
  readonly artifacts: readonly string[];
};

/**
 * Gives up what is old: reports and metrics of finished tasks, learnings nobody uses, files of loops that rest. With `dryRun`
 * it only says what that would be.
 */
export async function pruneMemory(
  engine: Engine,
  { memory }: Pick<Settings, 'memory'>,
  { dryRun }: { readonly dryRun: boolean },
): Promise<Pruned> {
  const now = engine.clock.now();
  const prune = (tx: StoreTx, isOnlyLooking: boolean) => pruneRows(tx, memory, now, isOnlyLooking);
  // Mostly there is nothing to do, and looking costs no durable write.
  const planned = await withFiles(engine, await engine.store.read((tx) => prune(tx, true)));
  if (dryRun || isNothing(planned)) return planned;
  const { artifacts } = planned;
  const pruned = await engine.store.write((tx) => prune(tx, false));
  for (const loopId of artifacts) await engine.artifacts.remove(loopId);
  return { ...pruned, artifacts };
}

async function pruneRows(
  tx: StoreTx,
  memory: Settings['memory'],
  now: number,
  dryRun: boolean,
): Promise<Pruned> {
  const counts = await tx.attempts.prune({
    attemptsBefore: now - memory['keep-reports'],
    metricsBefore: now - memory['keep-metrics'],
    dryRun,
  });
  const learnings = await tx.learnings.findOld({
    createdBefore: now - memory['keep-learnings'],
    usedBefore: now - memory['keep-unused'],
  });
  if (!dryRun) {
    for (const id of learnings) await tx.learnings.edit(id, { status: 'pruned', prunedAt: now });
  }
  const artifacts = await oldLoops(tx, now - memory['keep-artifacts'], memory['keep-loops']);
  return { ...counts, learnings, artifacts };
}

function isNothing({ attempts, metrics, learnings, artifacts }: Pruned): boolean {
  return attempts + metrics + learnings.length + artifacts.length === 0;
}

/** Loops at rest that are too old or too far back; the ones that may go on keep their files. */
async function oldLoops(tx: StoreTx, before: number, keep: number): Promise<readonly string[]> {
  const rows = await tx.loops.list({});
  return rows
    .filter(({ status, updatedAt }, index) => {
      const isOver = isResting(status) && status !== 'paused' && status !== 'blocked';
      return isOver && (updatedAt < before || index >= keep);
    })
    .map(({ id }) => id);
}

/** Most old loops have no files any more. */
async function withFiles(engine: Engine, pruned: Pruned): Promise<Pruned> {
  const artifacts: string[] = [];
  for (const loopId of pruned.artifacts) {
    if ((await engine.artifacts.diskUsage(loopId)) > 0) artifacts.push(loopId);
  }
  return { ...pruned, artifacts };
}
