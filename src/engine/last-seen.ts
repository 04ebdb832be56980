import { stat } from 'node:fs/promises';
import path from 'node:path';
import { effectiveIterationTimeout } from '../core/config/limits.ts';
import { openIteration, type Loop } from '../core/loop/loop.ts';
import { isResting } from '../core/loop/status.ts';
import type { QueueEntry } from '../ports/queue.ts';
import type { Engine } from './engine.ts';

/**
 * When the owner of a loop last gave a sign of life, in UTC milliseconds: by a fact, by renewing its lease, which goes on while an
 * agent works, or by what it wrote for the open iteration.
 */
export async function lastSeen(
  engine: Engine,
  loop: Loop,
  entry: QueueEntry | undefined,
): Promise<number> {
  const leaseUntil = entry?.leaseUntil ?? null;
  const now = engine.clock.now();
  const leaseNow = await engine.store.read((tx) => tx.leaseTime());
  const renewed = leaseUntil === null ? 0 : now - (leaseNow - (leaseUntil - engine.leaseMs));
  const seen = Math.max(loop.updatedAt, renewed, await lastWrite(engine, loop));
  // Whoever can write a file can say when that was.
  return Math.min(Math.round(seen), now);
}

/** How long an owner that is gone had worked since its last fact. A clock that was set gives it no more time than it may take. */
export function unrecordedWork(loop: Loop, seen: number): number {
  if (isResting(loop.status) || loop.wait !== null) return 0;
  const mostMs = effectiveIterationTimeout(loop.settings, 'cli');
  return Math.min(Math.max(seen - loop.updatedAt, 0), mostMs);
}

async function lastWrite({ artifacts }: Engine, loop: Loop): Promise<number> {
  const iteration = openIteration(loop);
  if (iteration === null) return 0;
  // Somebody's folder in its place tells nothing, and is told of by whoever writes there.
  const dir = await artifacts.iterationDir(loop.id, iteration.number).catch(() => null);
  if (dir === null) return 0;
  const files = (await artifacts.namesIn(dir)).map((name) => path.join(dir, name));
  const found = await Promise.all(files.map((file) => stat(file).catch(() => null)));
  return Math.max(0, ...found.map((each) => each?.mtimeMs ?? 0));
}
