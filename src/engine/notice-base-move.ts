import type { Loop } from '../core/loop/loop.ts';
import type { StoreTx } from '../ports/store.ts';
import type { Engine } from './engine.ts';
import { maxStalePaths } from './remember.ts';

/**
 * What names a file that people changed since the loop before may no longer hold. Looked for when a loop starts from a base
 * that has moved; what loops changed was noticed when they were done.
 */
export async function noticeBaseMove(engine: Engine, loop: Loop): Promise<void> {
  const { base } = loop.workspace;
  if (base === null || !loop.settings.memory.enabled) return;
  const before = await engine.store.read((tx) => baseBefore(tx, loop));
  if (before === null || before === base) return;
  const signal = AbortSignal.timeout(60_000);
  const files = await engine.project.changedByPeople(before, base, signal);
  if (files.length === 0 || files.length > maxStalePaths) return;
  await engine.store.write((tx) => tx.learnings.markStale(files, loop.id, loop.createdAt));
}

/** Where the loop before started; null when there was none, it had another base, or nothing was learned yet. */
async function baseBefore(tx: StoreTx, { id, workspace }: Loop): Promise<string | null> {
  const [newest, next] = await tx.loops.list({ limit: 2 });
  const row = newest?.id === id ? next : newest;
  if (row === undefined || (await tx.learnings.list({ limit: 1 })).length === 0) return null;
  const last = await tx.loops.get(row.id);
  return last?.workspace.baseRef === workspace.baseRef ? last.workspace.base : null;
}
