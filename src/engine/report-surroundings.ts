import path from 'node:path';
import type { LoopEvent } from '../core/loop/event.ts';
import { openIteration } from '../core/loop/loop.ts';
import type { Engine } from './engine.ts';
import type { LoopOwner } from './loop-owner.ts';

const mostNames = 50;

type Changed = Extract<LoopEvent, { type: 'surroundings.changed' }>;

/** The fact to record when the open iteration changed what is not the loop's; null when it did not. */
export async function reportSurroundings(
  engine: Engine,
  owner: LoopOwner,
): Promise<Changed | null> {
  const { loop } = owner;
  const iteration = openIteration(loop);
  if (iteration === null) return null;
  const { own: changes, others } = await owner.surroundings.end(loop, iteration, owner.closing);
  if (changes.length + others.length === 0) return null;
  const dir = await engine.artifacts.iterationDir(loop.id, iteration.number);
  const clean = (_: string, value: unknown) =>
    typeof value === 'string' ? engine.clean(value) : value;
  const text = `${JSON.stringify({ changes, others }, clean, 2)}\n`;
  await engine.artifacts.write(path.join(dir, 'surroundings.json'), text);
  if (changes.length === 0) return null;
  const names = changes.slice(0, mostNames).map(({ name }) => name);
  return { type: 'surroundings.changed', names, count: changes.length };
}
